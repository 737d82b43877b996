class @CLASS@ < Formula
  desc "@SYNOPSIS@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["@LICENSES@"]
@SOURCES@
  def install
    bin.install "@NAME@"
    man1.install "man/@NAME@.1"
    bash_completion.install "completions/@NAME@.bash" => "@NAME@"
    zsh_completion.install "completions/_@NAME@"
    fish_completion.install "completions/@NAME@.fish"
  end

  test do
    assert_match "Read today's daily note", shell_output("#{bin}/@NAME@ demo")
  end
end
