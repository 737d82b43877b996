{
  description = "The safe gateway between AI agents and an Obsidian vault";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml));
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach = nixpkgs.lib.genAttrs systems;
    in
    {
      packages = forEach (
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        {
          default = pkgs.rustPlatform.buildRustPackage {
            pname = manifest.package.name;
            version = manifest.workspace.package.version;
            src = self;
            cargoLock.lockFile = ./Cargo.lock;
            cargoBuildFlags = [
              "--package"
              manifest.package.name
            ];
            # The suite starts programs that a build in Nix has not (`.ci/run` is the gate).
            doCheck = false;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            postInstall = pkgs.lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
              $out/bin/${manifest.package.name} man > ${manifest.package.name}.1
              installManPage ${manifest.package.name}.1
              for shell in bash zsh fish; do
                $out/bin/${manifest.package.name} completions $shell > completions.$shell
                installShellCompletion --cmd ${manifest.package.name} --$shell completions.$shell
              done
            '';
            meta = {
              description = manifest.package.description;
              license = with pkgs.lib.licenses; [
                mit
                asl20
              ];
              mainProgram = manifest.package.name;
            };
          };
        }
      );

      devShells = forEach (system: {
        default = nixpkgs.legacyPackages.${system}.mkShell {
          inputsFrom = [ self.packages.${system}.default ];
        };
      });
    };
}
