//! The stop words of each language. They identify the language of a text, and are searched only if
//! a question has no other words.
//!
//! Words of place, time and quantity (*before*, *all*, *without*) are not among them, because the
//! meaning of a question depends on them.
//!
//! Fillers are words that say little about the subject of a question. They are searched, but weigh
//! less (`Tuning::filler`): their rarity alone does not show it, because in a small vault few notes
//! have them.
//!
//! All words are in lower case, in the form of [`crate::normal::lower`].

use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt as _};

use crate::language::{Language, bit};
use crate::normal::lower;

const LISTS: &[(Language, &str)] = &[
    (
        Language::English,
        "a am an and any are as at be because been being but by can cannot could did do does doing for from had has have having he her here hers herself him himself his how i if in into is it its itself just me my myself no nor not of on or ought our ours ourselves shall she should so some such than that the their theirs them themselves then there these they this those to too very was we were what when where which while who whom whose why will with would you your yours yourself",
    ),
    (
        Language::German,
        "aber als also am an auch auf aus bei bin bis bist da damit dann das dass daß dein deine dem den denn der des desselben dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für hab habe haben hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene kann kein keine keinem keinen können könnte mache man manche mein meine mich mir mit muss muß nach nicht noch nun ob oder sehr sein seine seinem seinen seiner sich sie sind so solche soll sollte sondern über um und uns unser vom von vor war waren warum was weil welche welcher welches wenn wer werde werden wie wieder will wir wird wirst wo wollen wurde wurden würde zu zum zur zwar",
    ),
    (
        Language::French,
        "à ai aie ainsi au aussi aux avait avec avoir c car ce ceci cela celle celles celui ces cet cette ceux chez comme comment d dans de des donc dont du elle elles en es est et été être eu eux fait il ils j je l la là le les leur leurs lors lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui s sa se sera ses si son sont sur t ta te tes toi ton très tu un une vers vos votre vous y",
    ),
    (
        Language::Spanish,
        "a al algo aquí así aunque como cómo con cual cuál cuando cuándo de del donde dónde e el él ella ellas ellos en era eran es esa esas ese eso esos esta está están estas este esto estos fue fueron ha hay la las le les lo los más me mi mis muy ni no nos nosotros nuestra nuestro o os para pero por porque qué que quien quién se ser si sí sido son su sus también tanto te tiene tienen tu tus un una unas uno unos usted y ya yo",
    ),
    (
        Language::Portuguese,
        "a ao aos aquela aquele aquilo as até com como da das de dela dele deles depois do dos e é ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este estes eu foi foram há isso isto já lhe lhes mais mas me mesmo meu minha muito na nas não nem no nos nós nossa nosso num numa o os ou para pela pelas pelo pelos por qual quando que quem são se sem ser seu seus só sua suas também te tem têm teu tu tua um uma uns você vocês",
    ),
    (
        Language::Italian,
        "a ad agli ai al alla alle allo anche avere aveva c che chi ci come con contro cui d da dagli dai dal dalla dalle dei del della delle dello di dove e è ed era erano essere fra gli ha hanno ho i il in io l la le lei li lo loro lui ma me mi mia mio molto ne negli nei nel nella nelle noi non nostra nostro o ogni per perché più poi qual quale quali quando quanto quella quelle quelli quello questa queste questi questo se sei si sia sono su sua sue sugli sui sul sulla suo te ti tra tu tua tuo tutti tutto un una uno vi voi",
    ),
    (
        Language::Dutch,
        "aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge geen haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom want waren was wat welke werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou",
    ),
    (
        Language::Swedish,
        "alla allt än att av bara blev bli blir de dem den denna deras dess det detta dig din dina du efter eller en er ett finns från för ha hade han hans har henne hennes hon honom hur i icke in ingen inom inte jag kan kunde man med mellan men mig min mina mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina skulle som så till under upp ut utan vad var vara varför vi vid vilka vilken är åt över",
    ),
    (
        Language::Danish,
        "ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvis hvor hvordan i ikke ind jeg jer kan kunne man mange med meget men mig min mod mit ned noget nogle nu når og også om op os over på selv sig sin skal som sådan til ud under var vi vil ville være været",
    ),
    (
        Language::Norwegian,
        "alle at av bare begge ble blei bli blir da de deg dei dem den denne der dere deres det dette di din du eg ein eit eller en enn er et etter ett for fordi fra før ha hadde han hans har henne hennes her hun hva hvem hver hvilken hvis hvor hvordan hvorfor i ikke ikkje inn ja jeg kan kom korleis kun kunne man mange med meg mellom men mer min mitt mot mye må ned no noe noen når nå og også om opp oss over på samme seg selv si siden sin skal skulle slik som så til um under ut uten var ved vi vil ville være vært å",
    ),
    (
        Language::Polish,
        "a aby ale ani bardzo bez bo być by był była było były ci co czy czyli dla do gdy gdzie go i ich ile im inne iż ja jak jako je jego jej jest jestem jeszcze już każdy kiedy kto która które którego której który których którym ku lub ma mnie może można my na nad nam nas nie nich nim niż o od on ona one oni oraz po pod ponieważ przed przez przy są się sobie swoje ta tak także tam te tego tej ten to tu tylko tym u w we więc wszystko z za ze że żeby",
    ),
    (
        Language::Czech,
        "a aby ale ani ano až bez bude budou by byl byla byli bylo být co což či další do ho i já jak jako je jeho jejich její jen ještě ji jich jim jsem jsme jsou jste k kde kdo kdy když která které kteří který ku má mají mezi mi mít mu my na nad nebo než nic není o od on ona oni po pod podle pokud pouze pro proč proto před při s se si své svůj ta tak také tato te ten tento teto tím to toho tom tomu tu ty už v ve více vám vás však všechny vy z za ze že",
    ),
    (
        Language::Finnish,
        "ei eivät en että hän häntä he heidän heitä hänen ja jo johon joka joita jolla jonka jos jossa jota jotka kaikki kanssa keitä ketkä kuin kuinka kuka kun me meidän mikä miksi mikään missä mitä mitkä mukaan mutta muut myös ne niiden niin niitä noiden nyt oli olivat olla on ovat se sekä sen siellä siinä siitä sillä sinä sitä tai tällä tämä tämän tässä tätä te tuo vaan vai vaikka vain",
    ),
    (
        Language::Hungarian,
        "a ahogy aki akik amely amelyek ami az azok azon azt azután azzal be belül benne cikk csak de e egy egyéb egyik el ellen elő és ez ezek ezen ezért ezt fel hanem hogy hogyan hol ha igen így illetve ilyen is itt jó kell ki közül le legyen lehet lenne lesz lett majd már más meg még mert mi miért milyen mint minden mivel most nagy nagyon nem neki nélkül ő ők össze sem sok szerint talán te után úgy van vagy vagyok valami volt",
    ),
    (
        Language::Turkish,
        "acaba ama ancak artık aslında az bana bazı belki ben beni bir biri birkaç birşey biz bu buna bunda bunlar bunu bunun burada çok çünkü da daha de defa değil diye dolayı eğer en gibi göre hem hep hepsi her hiç için ile ise kadar ki kim kimse mi mı mu mü nasıl ne neden nerede niçin niye o olan olarak oldu olduğu olduğunu olur ona onlar onu onun oysa pek sana sen siz sonra şey şu tüm ve veya ya yani yok",
    ),
    (
        Language::Romanian,
        "a acea aceasta această aceea acel acest aceste ai aici al ale am ar are as asta au avea că câte câți ce cea cel cele ci cînd când cine cît cu cum da dacă dar de deci din dintre după ea ei el ele era este eu fi fie fiecare fost iar în încă între la le lor lui mai mă mea mele mi nici noastre nostru nu o ori pe pentru prin sa să sale sau se și sînt sunt te toate tot tu un una unde unei unor unui va vă vor",
    ),
    (
        Language::Russian,
        "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще же за здесь и из или им их к как какой когда кто ли либо мне может мы на над надо наш не него нее нет ни них но ну о об однако он она они оно от очень перед по под после потому при про с сам свое свою себе себя со так такой там тебя тем то тоже только том ты у уже чем через что чтобы чье эта эти это этого этой этом этот эту я",
    ),
    (
        Language::Ukrainian,
        "а або але без би був була були було бути в вас вже від він вона вони воно все всі ви де для до є же за з і із її їх його й коли котрий ми може на над нас не ні ним них о об один по під після при про та так такий там те ти тільки то той тому у хто це цей ця ці чи чому що щоб як яка який які якщо",
    ),
    (
        Language::Persian,
        "آن آنها از است اگر اما این با باید بر برای بسیار به بود بودن بی تا تر ترین چرا چگونه چه چون چیست خود خواهد داد دارد دارند داشت در دو را روی زیر سپس شد شده شود شما کجا کدام کرد کردن کرده کند کنند کنید که کی ما مانند من می میشود نمی نیز نیست ها های هایی هر هست هستند هم همه و ولی وی یا یک",
    ),
    (
        Language::Arabic,
        "الا الان التی الذی الذین الی ان انت انه او ای این بعد بعض بل بین تحت تلک ثم حتی حیث ذلک عن عند علی غیر فی فیه قبل قد کان کانت کل کما کیف لا لان لقد لم لماذا لن له لها ما مع من منذ هذا هذه هل هم هنا هو هی و یا",
    ),
    (
        Language::Greek,
        "αλλά αν από αυτά αυτή αυτό αυτός για γιατί δεν είναι εκείνο ένα ένας επί έχει ή η ήταν θα και κατά με μετά μη μια μου να ο οι όπου όπως ότι που πού πως πώς προς σας σε στα στη στην στις στο στον στους τα τη την της τι τις το τον του τους των ως",
    ),
    (
        Language::Hindi,
        "अपना अपनी अपने अब और इन इस इसके उन उनके उस उसके एक एवं ऐसा और कर करता करते करना करने का किया किसी की के को कोई कौन क्या क्यों कैसे जब जहां जा जाता जो तक तथा तो था थी थे दिया ने नहीं पर फिर बहुत भी मैं में यदि यह यहां या ये वह वहां वाले वे सब साथ से हम ही हुआ हुई हुए है हैं हो होता होती होते होने",
    ),
];

/// The fillers of English; other languages have none.
const FILLERS: &str = "about again all already also although always another anybody anyone anything anywhere around away back become besides beyond both bring certain come contain different each either else enough etc even ever every everybody everyone everything everywhere exactly few find first further get gets getting give given gives go goes going good got happen happens hey hi instead keep keeps kind know last later least less let lets like likely look lot lots made make makes making many may maybe me might more most much must need needed needs never new next nobody none nothing now off ok okay once one only onto other others otherwise out over own per perhaps please possible put quite rather really right said same say says see seem several show since someone something sometimes somewhere sort still sure take tell thank thanks thing things think though through thus too toward towards try trying under until up us use used user uses using various via want wanted wants way ways well whatever whenever wherever whether without within wonder work works yes yet";

static WORDS: LazyLock<HashMap<Vec<u8>, u32>> = LazyLock::new(|| {
    let mut words = HashMap::with_capacity(4096);
    for (language, list) in LISTS {
        for word in list.split(' ') {
            *words
                .entry(lower(word).into_owned().into_bytes())
                .or_insert(0) |= bit(*language);
        }
    }
    words
});

/// The languages in which a word is a stop word, as a set of [`bit`].
pub(crate) fn languages_of(word: &str) -> u32 {
    // The longest stop words have 13 letters, of two or three bytes.
    if word.is_empty() || word.len() > 40 {
        return 0;
    }
    let mut small = [0; 13];
    if word.is_ascii() {
        let Some(small) = small.get_mut(..word.len()) else {
            return 0;
        };
        small.copy_from_slice(word.as_bytes());
        small.make_ascii_lowercase();
        return WORDS.get(&*small).copied().unwrap_or(0);
    }
    WORDS.get(lower(word).as_bytes()).copied().unwrap_or(0)
}

/// Whether a word in lower case is a small word of this language.
pub(crate) fn is_small(word: &str, language: Option<Language>) -> bool {
    language.is_some_and(|language| languages_of(word) & bit(language) != 0)
}

/// Whether a word, in lower case, is a filler of this language.
pub(crate) fn is_filler(word: &str, language: Language) -> bool {
    language == Language::English && FILLERS.split(' ').any(|filler| filler == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_belong_to_their_languages() {
        assert_eq!(languages_of("The"), bit(Language::English));
        assert_ne!(languages_of("die") & bit(Language::German), 0);
        assert_eq!(languages_of("die") & bit(Language::English), 0);
        assert_ne!(languages_of("Это") & bit(Language::Russian), 0);
        assert_ne!(languages_of("في") & bit(Language::Arabic), 0);
        assert_eq!(languages_of("vault"), 0);
        assert_eq!(languages_of(""), 0);
    }
}
