"""Stopwords of the languages that visitors use most: words that say nothing about a question's subject.

The lists are short ones of our own, with the greetings and the "how much does it cost" of visitors; they serve two purposes:
to leave such words out of a question, and to tell which language a text is in.
"""

from __future__ import annotations

_EN = """a about after all also am an and any are as at be because been but by can could d did do does doing don for from get
got had has have having he her here hers him his how i if in into is it its just ll m many me more most much must my need no
not of off on once one only or other our out over please re s same she should so some such t than that the their them then
there these they this those to too under up us ve very want was we were what when where which while who whom why will with
would you your hello hi hey thanks thank tell know there's what's i'm cost costs"""
_DE = """aber alle als also am an auch auf aus bei bin bis bitte bist da damit dann das dass dein dem den der des die dies diese
dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure für gibt hab habe haben habt hat
hatte hallo hier ich ihr ihre im in ist ja jede jeder komme kommen kommt lange kann kannst kein keine können könnt man mein meine mich mir mit muss
müssen nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so soll über um und uns unser unsere vom von vor wann
war warum was weil welche welcher welches wenn wer werden wie wieviel wird wir wo wurde zu zum zur kostet kosten viel danke"""
_ES = """a al algo alguna algún aquí como cómo con cual cuál cuáles cuando cuándo cuanto cuánto cuánta cuántas cuántos de del
desde donde dónde dos el ella ellos en entre era es esa ese eso esta está están este esto estos favor fue gracias ha hay
hacer hasta hola la las le les lo los más me mi mis muy nada ni no nos o os otra otro para pero poco por porque puede pueden
puedo que qué quien quién quiero se ser si sí sin sobre son soy su sus también te tengo tiene tienen tienes todo tu un una
unas uno unos vosotros y ya yo cuesta cuestan"""
_FR = """a ai ainsi alors au aucun aussi autre aux avec avez avoir avons bonjour c ce ces cet cette chez ci combien comme
comment d dans de des du elle elles en est et être eu fait faire il ils j je l la le les leur lui m ma mais me merci mes moi
mon n ne nos notre nous on ont ou où par pas peut peux plus pour pouvez pourquoi qu quand que quel quelle quelles quels qui
quoi s sa sans se ses si son sont sur t ta te tes toi ton tu un une vos votre vous y à coûte"""
_IT = """a agli ai al alla alle anche c che chi ci ciao come con cosa cui da dal dalla dei del della delle di dove e è ed
fare gli grazie ha hanno ho i il in io l la le lo loro ma me mi mio nel nella nelle no non o per perché piú più posso può
qual quale quali quando quanto quanti se sei si sì sono sta su sua suo tra tu un una uno vi voi vorrei costa"""
_PT = """a ao aos as até com como da das de do dos e é ela ele em entre era essa esse esta está este eu foi há isso já lhe
mais mas me meu minha muito na não nas nem no nos o obrigado olá onde os ou para pela pelo por porque posso pode qual quais
quando quanto que quem se sem ser seu sua são só também te tem tenho um uma você vocês custa"""
_NL = """aan al als bij dan dat de den der deze die dit doen door dus een en er geen graag had hallo heb hebben heeft het
hij hoe hoeveel ik in is ja je jij jullie kan kun kunnen maar me meer met mij mijn moet na naar niet nog nu of om ons onze ook
op over te tot u uit uw van veel voor waar waarom wanneer was wat we welke wel wie wij wil worden zal ze zich zijn zo kost"""

_RU = """а без более больше бы был была были было быть в вам вас ваш ваша ваше ваши во вот все всё вы где да для до его ее её если есть
еще ещё же за здравствуйте и из или им их к как какая какие каких какого какой каком какую кем когда кого кому которая которые который
которого кто ли лет мне много можно мой моя мои мы на над надо нам нас наш не него нее нет ни но ну о об однако он она они оно от
отсюда очень перед по под пожалуйста после потом почему при про с сам свой себя сколько со спасибо стоит так также такой там то
тогда того тоже только том тот ту ты у уже хочу чего чей чем через что чтобы чьи эта эти это этого этой этом этот я является"""
_UK = """а або але б без бо був була були бути в вам вас ваш ви від він вона вони все де для до його є за з зі і із й як яка яке
який які якого якій коли кому котрий ми на не ні о от по при про свій скільки та так там те ти то тому у хто ця це ці цей чи чому
що щоб я"""
_PL = """a aby albo ale bardzo bez być był była było by ci co czy czyj dla do dzień dobry dziękuję gdzie go i ich ile im ja jak jaka
jaki jakie jakiego jakiej jaką jest jestem jeśli już kiedy kim kto która które który którego którym ma mają mam mi mnie może można mój na nad
nam nas nasz nie nich nim o od on ona one oni oraz po pod proszę przez przy są się są ta tak także tam te tego tej ten to tu ty tylko w wam
was wasz we więc wszystko z za ze że żeby"""
_CS = """a aby ale ani bez bude by byl byla bylo být co či do dobrý den děkuji i já jak jaká jaké jaký jakou je jeho její jejich jen ještě
jsem jsme jsou jste k kam kde kdo kdy když která které který kterou ke ma má mají mám mi mít mne moje můj může na nad nám nás naše ne
nebo není o od on ona oni pod podle po pro proč prosím před při s se si svůj ta tak také tam tato ten tento to tu ty u už v vám vás váš
ve vy z za ze že"""
_TR = """acaba ama ancak bana bazı belki ben beni benim bir biraz birçok bize biz bizim bu buna bunu bunun çok da daha daki de deki değil
diye en evet gibi göre hangi hangisi hangileri hatta hem hepsi her hiç için ile ise kaç kadar ki kim kime kimi kimin kimdir kimler mi mı mu
mü merhaba mıdır midir nasıl ne neden nedir nelerdir nerede nereden nereye neresi neyi niçin nin nın niye o olan olarak oldu olduğu
olması olur ona onu onun onlar önce sen siz size şey şu sonra ta te tüm un ün ve veya var ya ye yani yok lütfen teşekkürler kaçtır"""
_EL = """αλλά αν από απο αυτή αυτό αυτός αυτά αυτές αυτοί γεια για γιατί δε δεν εάν εγώ είναι ειμαι είμαι εκεί ένα έναν ένας εσείς εσύ εδώ
έχει έχετε έχουν έχω ευχαριστώ η ήταν θα και κάθε κατά κι μας με μετά μέχρι μη μην μια μία μου μπορεί μπορώ να ο οι όμως όπως όταν ότι ου
όχι παρακαλώ πια πιο ποια ποιά ποιαν ποιας ποιες ποιο ποιό ποιοι ποιον ποιος ποιός ποιου ποιους πολύ πόσα πόσες πόση πόσο πόσοι πόσος πότε
που πού πριν προς πως πώς σας σε σου στα στη στην στις στο στον στους τα τη την της τι τις το τον του τους των υπάρχει υπάρχουν ως"""
_AR = """أ أن أو أي أية أين إذا إلى إلي ألا الا التي الذي الذين اللذان اللتان الى ان انا أنا أنت إن إنه بعد بعض بل بين به بها تكون تم ثم
حتى حول حيث خلال ذلك سوف شكرا على عن عند عندما غير في فيه فيها قبل قد كان كانت كل كم كما كيف لا لدى لدي لقد لكن لكي لم لماذا لن له لها
ليس ما ماذا متى مثل مرحبا مع من منذ منها منه نحن نعم هذا هذه هل هم هما هناك هنا هو هي و وقد وكان ولا وما ومن وهو وهي يا يتم يكون يمكن
يوجد تلك الذى اللذين السلام عليكم فضلك"""
_FA = """از است این آن آیا اگر اما با باید بر برای بود به تا چه چرا چطور چقدر چند چگونه خود در دارد دارید را سلام شد شما شود ها هم همه
هر هست که کجا کدام کی کنم کنید لطفا ما من می نیست و یا یک"""
_HE = """אבל או אז איך אין אינו אם אני אנחנו את אתה אתם באיזה בו בכל גם הוא היא היה היו הם הן הזה הזאת זה זו זאת יש כי כל כמה כן לא לי
לך למה להיות ל מה מי מתי מאוד נא על עם עד רק שלום של שלי שלך שלנו שלכם תודה איפה איזה אילו"""
_HI = """अगर अपना अपनी अपने अब आप आपका आपके आपकी इन इस इसका इसकी इसके इसे उन उनका उनकी उनके उस उसका उसकी उसके उसे एक और कब कहा कहाँ कहां का
कितना कितनी कितने किन किस किसका किसकी किसके किसने किसी किसे की कुछ के कैसा कैसी कैसे को कोई कौन कौनसा क्या क्यों गई गए गया जब जहाँ जा जो तक
तथा तो था थी थे द्वारा दिया दी नमस्ते नहीं ने पर फिर बारे बाद बहुत भी मुझे में मेरा मेरी मैं यदि यह यहाँ या ये रहा रही रहे लिए लेकिन वह वाला
वाली वाले वे सकता सकती सकते साथ से सा सी हम हमारा हमारे हमें ही हुआ हुई हुए हूँ है हैं हो होता होती होते होने था धन्यवाद कृपया"""
_VI = """ai anh bao bạn bằng bị bởi cái cách các cho chào chỉ chị chúng chưa có còn cũng của đã đang đâu để đến đều đi điều đó được
gì giúp hay hãy hoặc hỏi khi không là làm lại lên lúc mà mình mỗi một muốn nào này nên nếu nhiêu như những nó ở phải qua ra rằng rất rồi sao sẽ
tại theo thế thì tôi từ từng và vào vậy về vì việc với xin ơi ạ cảm ơn ấy"""
_RO = """a ai al ale am ar are as asta au avea avem aveți bună că care cărei căror cărui câți câte câtă cât ce cea cei cel cele cine cu cum
cu da dacă dar de despre din după e ea ei el ele era este eu fi fost i îi în într între îl își iar la le li lor lui mai mă mea mei mele
mi mulțumesc ne ni nici nu o ori pe pentru pot prin s sa să sale sau se și si sunt suntem te ți toate tot tu un una unde unei unor unui
unul v vă vi vor voi vreau"""
_HU = """a az abban ahhoz ahogy aki amely amelyek ami és egy egyik el ez ezt hány hogy hogyan hol honnan hova hová igen is kell kérem ki kik
kit kinek köszönöm lehet meg melyik mely mely mennyi mennyibe mert mi miért mikor milyen mit miben mivel nagyon nem ő ön önök van vannak
vagy volt"""
_SV = """alla allt att av bara bli blir de dem den denna deras dess det detta dig din du där då efter eller en er ett finns från för får ha
hade han har hej henne hon hur hos här i icke in inte jag kan kostar man med men mig min mycket måste ni nu när någon något och om oss på
sig sin ska så tack till under upp ut vad var vara varför vem vi vid vilka vilken vilket vill vår är över"""
_DA = """af alle alt at blev bliver da de dem den denne der deres det dette dig din dog du efter eller en end er et findes for fra får ham
han har havde hej hendes her hos hun hvad hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg jer jo kan
koster man mange med meget men mig min mod må ned noget nogle nu når og også om op os over på sig sin skal som så tak til ud under var
ved vi vil være vores"""
_NO = """alle at av både da de deg dem den denne der dere det dette din du eller en er et ett etter finnes for fra få får ha hadde han har hei
henne her hun hva hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke inn jeg kan koster man med meg men min mot mye må ned noe
noen nå når og også om opp oss over på seg sin skal som så takk til ut var ved vi vil være vår"""
_FI = """ei eikä että en enemmän hän he hei ja jos joka jotka jotain kanssa kiitos koska kuin kuinka kuka ketkä kun kyllä me mihin mikä mikäli millainen
milloin millä mille minä minun minkä missä mistä miten miksi mitkä mitä mukaan mutta mutta myös ne niin nyt oli olla olen olemme on onko
ovat paljonko paljon saako se sen sekä sinä sitä tai tämä tässä tuo voi voiko voinko vai voitte"""
_ID = """ada adalah agar akan aku anda apa apakah atau bagaimana bagi bahwa banyak berapa bisa boleh dalam dan dapat dari dengan di dia halo
hari harus ia ini itu jika juga kalau kami kamu kapan karena ke kepada kita lagi mana mau mengapa mereka oleh pada saya sangat sebagai
siapa sudah telah tentang terima kasih tidak tolong untuk yang"""

STOPWORDS: dict[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in (
        ("en", _EN),
        ("de", _DE),
        ("es", _ES),
        ("fr", _FR),
        ("it", _IT),
        ("pt", _PT),
        ("nl", _NL),
        ("ru", _RU),
        ("uk", _UK),
        ("pl", _PL),
        ("cs", _CS),
        ("tr", _TR),
        ("el", _EL),
        ("ar", _AR),
        ("fa", _FA),
        ("he", _HE),
        ("hi", _HI),
        ("vi", _VI),
        ("ro", _RO),
        ("hu", _HU),
        ("sv", _SV),
        ("da", _DA),
        ("no", _NO),
        ("fi", _FI),
        ("id", _ID),
    )
}

UNSPACED_STOPWORDS = (
    *[
        "什么",
        "甚麼",
        "什麼",
        "怎么",
        "怎麼",
        "怎样",
        "如何",
        "为什么",
        "為什麼",
        "哪些",
        "哪个",
        "哪個",
        "哪里",
        "哪裡",
        "哪儿",
        "哪一",
        "多少",
        "几个",
        "幾個",
        "请问",
        "請問",
        "可以",
        "是否",
        "谁",
        "誰",
        "哪",
        "吗",
        "嗎",
        "呢",
        "的",
        "了",
        "是",
        "在",
        "有",
        "和",
        "与",
        "與",
        "我",
        "你",
        "您",
        "这",
        "這",
        "那",
        "被",
        "把",
        "吧",
        "啊",
        "就",
        "也",
        "都",
        "很",
        "谢谢",
    ],
    *[
        "どこ",
        "どの",
        "どれ",
        "どう",
        "どんな",
        "だれ",
        "いつ",
        "なに",
        "なぜ",
        "いくら",
        "いくつ",
        "ですか",
        "ますか",
        "でしょうか",
        "ください",
        "ありますか",
        "とは",
        "です",
        "ます",
        "は",
        "が",
        "を",
        "に",
        "で",
        "と",
        "の",
        "も",
        "か",
        "へ",
        "から",
        "まで",
    ],
    *[
        "อะไร",
        "อย่างไร",
        "ยังไง",
        "ทำไม",
        "เมื่อไหร่",
        "เมื่อใด",
        "เมื่อไร",
        "ที่ไหน",
        "ที่ใด",
        "กี่",
        "เท่าไหร่",
        "เท่าไร",
        "เท่าใด",
        "ใคร",
        "ใด",
        "ไหน",
        "ไหม",
        "หรือไม่",
        "มั้ย",
        "ครับ",
        "ค่ะ",
        "คะ",
        "ของ",
        "และ",
        "ที่",
        "เป็น",
        "ใน",
        "ได้",
        "มี",
        "ไม่",
        "ให้",
        "จะ",
        "กับ",
        "จาก",
        "โดย",
        "คือ",
        "นี้",
        "นั้น",
        "ว่า",
        "ซึ่ง",
        "เพื่อ",
        "สำหรับ",
        "อยู่",
        "หรือ",
        "ต้อง",
        "การ",
        "ความ",
        "ผม",
        "ฉัน",
        "คุณ",
        "ขอบคุณ",
    ],
)
"""Stopwords of scripts that write no spaces between words: Chinese, Japanese, Thai; whoever looks for them takes the longest first."""
