"""The little words of the languages that visitors use most: they say nothing about a question's subject."""

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
    )
}
