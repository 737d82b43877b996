//! Words, and the names that notes, folders and tags are made of.

use std::sync::LazyLock;

use seeded_random::Random;

type Names = LazyLock<Vec<&'static str>>;

fn names(text: &'static str) -> Vec<&'static str> {
    text.split('|').collect()
}

/// A word that very few notes hold.
pub(crate) const RARE_WORD: &str = "zephyrine";
/// A word that most notes hold.
pub(crate) const COMMON_WORD: &str = "harbour";
/// Two words that some notes hold next to each other.
pub(crate) const PHRASE: &str = "weekly review";

static SMALL: Names = LazyLock::new(|| {
    names(
        "the|of|and|to|in|a|is|that|for|it|as|was|with|be|by|on|not|he|this|are|or|his|from|at|which|\
     but|have|an|had|they|you|were|their|one|all|we|can|her|has|there|been|if|more|when|will|\
     would|who|so",
    )
});

static LARGE: Names = LazyLock::new(|| {
    names(
        "amber|anchor|archive|autumn|balance|basket|bridge|budget|candle|canvas|castle|chapter|circle|\
     client|cloud|compass|copper|corner|cotton|design|desert|dinner|doctor|dragon|draft|engine|\
     evening|factory|feather|festival|forest|garden|glacier|harbour|harvest|hollow|idea|island|\
     journal|journey|kernel|kitchen|ladder|lantern|lecture|letter|library|magnet|market|meadow|\
     meeting|memory|method|mirror|morning|mountain|museum|needle|network|notebook|number|ocean|\
     orchard|outline|paper|pattern|pencil|planet|pocket|project|question|quiet|reader|reason|\
     recipe|review|river|saddle|sailor|sample|season|shadow|signal|silver|station|summer|system|\
     temple|theory|thread|travel|valley|velvet|village|window|winter",
    )
});

static SYLLABLES: Names = LazyLock::new(|| {
    names(
        "ba|bel|cor|da|den|do|el|fa|fen|ga|gri|ha|il|ja|ka|kor|la|lin|lo|ma|mer|mi|na|nor|o|pa|pel|\
     qui|ra|ri|sa|sel|sto|ta|tor|u|va|vel|wen|yo",
    )
});

static CJK: Names = LazyLock::new(|| {
    names(
        "日記|会議|計画|読書|旅行|研究|設計|写真|音楽|学習|笔记|项目|知识|花园|时间|城市|메모|회의|여행|공부|メモ|アイデア|東京|上海",
    )
});

static EMOJI: Names = LazyLock::new(|| names("🌱|📚|🚀|💡|🗂️|✅|🧭|👩‍💻|🇯🇵|🎯|☕|🏔️"));

/// Names that several folders have a note of.
static AMBIGUOUS: Names = LazyLock::new(|| {
    names("README|index|Index|Notes|Meeting|TODO|Ideas|Overview|Summary|Log|Glossary|plan")
});

/// Names that are awkward in links: dots, parentheses, percent signs, quotes, more than one space,
/// a decomposed accent, a hash.
static AWKWARD: Names = LazyLock::new(|| {
    names(
        "v1.2 (draft)|50% off|it's fine, really|a & b + c = d|Cafe\u{301} notes|naïve façade|\
     100 %25 encoded|trailing.dots.md.copy|C# tips|[brackets]|under_score-and-dash|\
     Ünïcödé ÄÖÜ ß",
    )
});

static FOLDERS: Names = LazyLock::new(|| {
    names(
        "Projects|Areas|Resources|Archive|People|Books|Work|Home|Health|Travel|Recipes|Journal|\
     Research|Clients|Meetings|2023|2024|2025|Q1|Drafts|R&D|To read|日本語|📦 Box|v1.5|notes|\
     Inbox|Zettel",
    )
});

static TAGS: Names = LazyLock::new(|| {
    names(
        "project|project/alpha|project/beta/launch|idea|todo|Reading|reading|area/health|\
     area/home/garden|people|book|book/fiction|status/open|status/done|2024|y2024|week-12|\
     under_score|日記|読書/小説|émotion|🌱|garden🌱|meeting|meeting/weekly|inbox|draft|important|someday|\
     x/y/z",
    )
});

/// One word as it stands in running text.
pub(super) fn word(random: &mut Random) -> String {
    match random.below(100) {
        0..45 => (*random.pick(&SMALL)).to_owned(),
        45..85 => (*random.pick(&LARGE)).to_owned(),
        85..99 => made_up_word(random),
        _ => (*random.pick(&CJK)).to_owned(),
    }
}

/// A word of a large vocabulary.
fn made_up_word(random: &mut Random) -> String {
    (0..random.between(2, 4))
        .map(|_| *random.pick(&SYLLABLES))
        .collect()
}

/// A few words with a capital: a title, a heading, a label.
pub(super) fn title(random: &mut Random) -> String {
    let words: Vec<String> = (0..random.between(1, 4))
        .map(|_| match random.below(3) {
            0 => made_up_word(random),
            _ => (*random.pick(&LARGE)).to_owned(),
        })
        .collect();
    let title = words.join(" ");
    let mut letters = title.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// A note's name without its extension.
pub(super) fn note(random: &mut Random) -> String {
    match random.below(100) {
        0..84 => title(random),
        84..90 => (*random.pick(&AMBIGUOUS)).to_owned(),
        90..94 => format!("{}{}", random.pick(&CJK), random.pick(&CJK)),
        94..97 => format!("{} {}", emoji(random), title(random)),
        _ => (*random.pick(&AWKWARD)).to_owned(),
    }
}

/// A name for a folder, without the folders above it.
pub(super) fn folder(random: &mut Random) -> String {
    if random.percent(60) {
        (*random.pick(&FOLDERS)).to_owned()
    } else {
        title(random)
    }
}

/// A tag without its `#`.
pub(super) fn tag(random: &mut Random) -> String {
    if random.percent(85) {
        (*random.pick(&TAGS)).to_owned()
    } else {
        format!("topic/{}", random.pick(&LARGE))
    }
}

/// An emoji for names and running text.
pub(super) fn emoji(random: &mut Random) -> &'static str {
    EMOJI[random.below(EMOJI.len())]
}

/// A name that no note has.
pub(super) fn missing(random: &mut Random, notes: usize) -> String {
    let count = random.below(notes / 40 + 3);
    format!("Missing {} {count}", LARGE[count % LARGE.len()])
}
