"""What sites call the parts of their frame: roles, words of classes and ids, and phrases that head or fill them.

The lists hold what many sites share; what a single site repeats is learned from its own pages (`ingest.repeat`). Constants that
end in `_NAMES` are compared with `PageNode.name_words`, those in `_TAGS` with tags; the others are patterns for text,
addresses or classes. Which rule uses which, `frame_rules` says.
"""

from __future__ import annotations

import re

FRAME_ROLES = frozenset("navigation contentinfo search dialog alertdialog menu menubar banner toolbar".split())
WIDGET_ROLES = frozenset("listbox option tooltip combobox tablist radiogroup slider progressbar status".split())
FRAME_NAMES = frozenset(
    "cookie cookies cookiebar cookieconsent consent gdpr ccpa onetrust cookiebot usercentrics truste modal popup lightbox"
    " newsletter subscribe subscription share sharing sharebar sharebuttons social socials socialshare addtoany sharethis"
    " breadcrumb breadcrumbs crumb crumbs pagination pager paginator navbar navigation nav topnav subnav sitenav megamenu"
    " menu submenu footer subfooter colophon masthead topbar skip skiplink skiplinks advert advertisement advertising ads"
    " adsbygoogle adslot sponsored related recommended recommendations similar youmaylike upsell upsells crosssell login"
    " signin signup minicart cart drawer offcanvas toast snackbar announcement copyright livechat chatbot sidebar sidenav"
    " sidemenu toolbar searchform searchbox search disqus backtotop printfriendly localnav navheader navfooter topmenu"
    " sitenotice respond commentform recirc recirculation promo promotion cta trending readnext morefrom relatedposts"
    " relatedarticles sphinxsidebar headerlink languages toc tableofcontents dropdown flyout filter filters facet facets"
    " tooltip banner feedback helpful signature postprofile userextras flair karma avatar badges postnav prevnext"
    " reactions likes upvote votes report flag wishlist welcomebar stickybar hellobar".split()
)
# A part with one of these is frame however much text it holds, as long as it isn't most of the page.
SURE_NAMES = frozenset(
    "cookie cookies cookiebar cookieconsent consent gdpr onetrust cookiebot usercentrics modal popup breadcrumb breadcrumbs"
    " skiplink skiplinks minicart offcanvas headerlink signature postprofile userextras flyout".split()
)
OTHER_PAGES_NAMES = frozenset(
    "related recommended recommendations similar sidebar footer newsletter popular signup subscribe".split()
)
AMBIGUOUS_NAMES = frozenset(("menu", "submenu", "banner"))
"""Names that mean two things: a `menu` of links or of dishes (fixture frame_menus_of_dishes), a `banner` with or without hours."""
BANNER_NAMES = frozenset(
    "promo promotion announcement newsletter banner welcomebar stickybar hellobar subscribe cta signup".split()
)
AUTHOR_NAMES = frozenset("author authors authorbox authorbio aboutauthor bio byline contributor".split())
COMMENT_NAMES = frozenset(
    "comments commentlist commentarea wpdiscuz disqus respond commentsarea commentsection".split()
)
REVIEW_NAMES = frozenset("reviews customerreviews reviewlist reviewslist".split())
MEMBER_NAMES = frozenset("user member poster profile author".split())
MEMBER_DETAIL_NAMES = frozenset(
    "title info details card extras stats avatar badge meta pane cell rank reputation".split()
)
"""With one of MEMBER_NAMES: the box about who wrote a message in a forum (user-info, member-card)."""
POST_NAMES = frozenset("post entry article blog story news".split())
POST_DETAIL_NAMES = frozenset("meta date info byline author time tags".split())
"""With one of POST_NAMES: the line on who wrote an article and when (post-meta, entry-date)."""
# How a heading begins that opens a part about other pages, or one that asks something of the reader; whole line from its start.
OTHER_PAGES_HEADING = re.compile(
    r"^(related\b|recommended (articles|reading|for you|products|posts|stories|content|videos)|recommends"
    r"|more (from|like|articles|stories|posts)\b|more (on|in|to) (explore|read|discover|love|this)\b"
    r"|you (may|might|.ll) (also )?(like|enjoy|love|be interested)"
    r"|other (articles|posts|stories)|browse related|similar (articles|products|posts|items)|recently viewed"
    r"|customers also|people also (bought|viewed)|frequently bought together|trending\b|popular (posts|articles)"
    r"|latest (news|posts|articles|stories)|leave a (comment|reply)|reply to this topic|join the (conversation|discussion)"
    r"|(\d+|no|view all|all) (comments?|responses|replies)$|comments?( \(?\d+\)?)?$"
    r"|share this|share on|follow us|newsletter|read next|up next"
    r"|subscribe$|(subscribe|sign up|join|get) .{0,25}(newsletter|updates|mail|inbox|alerts|list|community|latest|tips)"
    r"|keep reading|what.s trending|was this (page |article )?helpful|shop the look|complete the look"
    r"|browse other questions|not the answer|start asking|your answer|(be the first|add|post) (to |a )?(comment|reply|review)"
    r"|what do you think|editor.?s.? picks?|you must (log|sign) in|already have an account|page details|help improve"
    r"|about the author|written by|stay (connected|in the loop|up to date)|never miss|don.t miss"
    r"|weitere (artikel|beiträge)|ähnliche (artikel|produkte|beiträge)|das könnte (sie|dich|ihnen) auch"
    r"|articles (similaires|liés)|vous aimerez aussi|art[ií]culos relacionados|tambi[eé]n te puede|artigos relacionados)",
    re.I,
)
DISCUSSION_ADDRESS = re.compile(
    r"forum|/threads?[/-]|/topics?/|viewtopic|showthread|/discussions?/|/questions?/|//(community|discuss|ask)\."
    r"|/comments/|/t/|/s/",
    re.I,
)
"""Addresses of pages whose comments are the content."""
REPLIES_COUNT = re.compile(r"comment|repl(y|ies)|responses?", re.I)
NEIGHBOUR_LINK = re.compile(
    r"^(prev(ious)?|next|older|newer|back to|go back|return to|(view|see) all|all posts|«|»|←|→|zurück|weiter"
    r"|précédent|suivant)\b|^[«»←→]",
    re.I,
)
BUTTON_CLASS = re.compile(r"(^|[-_ ])(btn|button|cta)([-_ ]|$)", re.I)
CONTACT_DETAIL = re.compile(r"\d{3}[-. )]+\d{3,4}[-. ]\d{3,4}|[\w.]+@[\w-]+\.\w+|\bopening (hours|times)\b", re.I)
INTERFACE_TEXT = re.compile(
    r"(skip to .{0,30}|jump to .{0,20}|loading\W*|something went wrong.{0,60}|click to \w+\W*"
    r"|(read|show|see|view|load|learn) (more|less|all)|copy( as \w+| link| code)?|sort( and filter| by)?:?"
    r"|showing .{1,20} (of|results).{0,20}|share( this.{0,20})?|print( page)?|save|reply with quote|quote|report( \w+)?"
    r"|edit( \w+)?|add to (cart|bag|basket|wishlist)|sign (in|up)|log ?in|register|menu|close|search|back"
    r"|(last )?(updated|modified|edited|reviewed)( on)?:? .{4,40}|\d+ ?-?min(ute)?s?( read)?|reading time.{0,20}"
    r"|(opens )?(in|a) new (window|tab)|(©|\(c\)|copyright).{0,80}|advertisement( - .{0,40})?|sponsored|page \d+ of \d+"
    r"|\d+ (comments?|replies|responses)|permalink|all rights reserved\.?|previous|next"
    r"|weiterlesen|mehr (lesen|erfahren|anzeigen)|zum (haupt)?inhalt.{0,20}|nach oben|drucken|teilen|anmelden|schließen|suche"
    r"|lire la suite|en savoir plus|voir plus|partager|imprimer|fermer|leer más|ver más|compartir|imprimir|cerrar)\W*",
    re.I,
)
"""The whole text of controls and labels of the page's machinery, which no visitor asks about (fixture frame_interface_words)."""
INTERFACE_WORDS_THAT_HEAD = frozenset(("menu", "register", "registration", "save", "quote", "back"))
"""Words of INTERFACE_TEXT that are also headings of content: a kitchen's "Menu", "Registration"."""
# Two of these in one box make it a list of reviews.
RATING_SIGN = re.compile(r"★|\b[1-5](\.\d)? ?(/ ?5|stars?|out of 5)|verified|\bago\b|helpful|reviewed|rating", re.I)
# Classes of asides that belong to the text: notes, warnings, tips.
NOTE_CLASS = re.compile(r"note|tip|warn|caution|danger|important|info|callout|admonition|alert|hint", re.I)
# Elements that a rule on names is asked of, and fewer that a rule on whole boxes is asked of.
BOX_TAGS = frozenset("div section ul ol p span li a td table dl figure aside article time button".split())
INLINE_TAGS = frozenset(
    "a abbr b bdi cite code em i kbd label mark q s samp small span strong sub sup time u var".split()
)
ANY_TAG: frozenset[str] = frozenset()
"""Stands for all elements in `frame_rules.RULES`."""
CONTAINER_TAGS = frozenset("div section ul ol aside article".split())
ARTICLE_TAGS = frozenset(("article", "blockquote", "figure"))
PAGE_PART_TAGS = frozenset(("article", "main", "section"))
QUESTION_TAGS = frozenset(("h2", "h3", "h4", "h5", "h6", "dt", "summary"))
DIALOG_REQUEST = re.compile(
    r"cookie|consent|newsletter|subscribe|sign.?up|log.?in|e-?mail|inbox|country|region|javascript", re.I
)
"""What a dialog says that only wants something of the visitor; others may be content, such as size charts."""
SIGN_UP_TEXT = re.compile(r"sign.?up|subscribe|newsletter|inbox|e-?mail|weekly|join\b|abonn|anmelden", re.I)
PICTURE_CREDIT = re.compile(
    r"\b(photo(graph)?s?|images?|pictures?|credits?|courtesy|source|illustration|foto|bild(er)?)( ?(by|of|:|/)|$)"
    r"|©|getty|shutterstock",
    re.I,
)
