"""What the bot says of its own accord, in the visitor's language."""

from __future__ import annotations

from string import Template

FALLBACK = "en"

PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "greeting": "Hello! I answer questions about $name from our own pages, and I show you where it says so. What would you like to know?",
        "help": "Ask me anything about $name, in your own words. I answer from our pages and documents and name the source. /reset forgets this conversation.",
        "reset": "Done: I have forgotten our conversation. What would you like to know?",
        "no_answer": "I couldn't find that in our pages and documents, so I'd rather not guess. I have noted your question for the team.",
        "next_contact": "For an answer from a person: $contact",
        "next_page": "You can reach a person here: $contact",
        "next_none": "You could ask it in other words, or contact us directly.",
        "too_long": "That is longer than I can read at once. Could you ask it in a few sentences?",
        "too_many": "You are faster than I am. Please wait a minute and ask again.",
        "unsupported": "I can only read text so far. Could you write your question?",
        "failed": "Something went wrong on our side, and I couldn't answer. Please ask again in a moment.",
        "found": "This is what our pages say:",
        "choose": "Please choose one of: $choices",
        "email": "That doesn't look like an e-mail address. Could you check it?",
        "phone": "That doesn't look like a phone number. Could you check it?",
        "number": "Please answer with a number.",
        "required": "I need this one to go on.",
        "ready": "Thank you! What would you like to know?",
        "stopped": "All right, I won't write to you again. Send a message whenever you like.",
    },
    "de": {
        "greeting": "Hallo! Ich beantworte Fragen zu $name aus unseren eigenen Seiten und zeige, wo es steht. Was möchten Sie wissen?",
        "help": "Fragen Sie mich etwas zu $name, in Ihren eigenen Worten. Ich antworte aus unseren Seiten und Dokumenten und nenne die Quelle. /reset vergisst dieses Gespräch.",
        "reset": "Erledigt: Ich habe unser Gespräch vergessen. Was möchten Sie wissen?",
        "no_answer": "Dazu finde ich in unseren Seiten und Dokumenten nichts, und raten möchte ich nicht. Ich habe Ihre Frage für das Team notiert.",
        "next_contact": "Eine Antwort von einem Menschen bekommen Sie hier: $contact",
        "next_page": "Hier erreichen Sie einen Menschen: $contact",
        "next_none": "Vielleicht hilft es, die Frage anders zu stellen, oder wenden Sie sich direkt an uns.",
        "too_long": "Das ist länger, als ich auf einmal lesen kann. Können Sie es in wenigen Sätzen fragen?",
        "too_many": "Sie sind schneller als ich. Bitte warten Sie eine Minute und fragen Sie noch einmal.",
        "unsupported": "Ich kann bisher nur Text lesen. Können Sie Ihre Frage schreiben?",
        "failed": "Auf unserer Seite ist etwas schiefgegangen, ich konnte nicht antworten. Bitte fragen Sie gleich noch einmal.",
        "found": "Das steht auf unseren Seiten:",
        "choose": "Bitte wählen Sie: $choices",
        "email": "Das sieht nicht nach einer E-Mail-Adresse aus. Können Sie sie prüfen?",
        "phone": "Das sieht nicht nach einer Telefonnummer aus. Können Sie sie prüfen?",
        "number": "Bitte antworten Sie mit einer Zahl.",
        "required": "Das brauche ich, um weiterzumachen.",
        "ready": "Danke! Was möchten Sie wissen?",
        "stopped": "Gut, ich schreibe Ihnen nicht mehr. Melden Sie sich, wann immer Sie möchten.",
    },
    "es": {
        "greeting": "¡Hola! Respondo preguntas sobre $name con nuestras propias páginas y le muestro dónde lo pone. ¿Qué le gustaría saber?",
        "help": "Pregúnteme lo que quiera sobre $name, con sus palabras. Respondo con nuestras páginas y documentos y cito la fuente. /reset olvida esta conversación.",
        "reset": "Hecho: he olvidado nuestra conversación. ¿Qué le gustaría saber?",
        "no_answer": "No lo encuentro en nuestras páginas ni documentos, y prefiero no adivinar. He anotado su pregunta para el equipo.",
        "next_contact": "Para hablar con una persona: $contact",
        "next_page": "Aquí puede hablar con una persona: $contact",
        "next_none": "Puede preguntarlo con otras palabras o escribirnos directamente.",
        "too_long": "Es más largo de lo que puedo leer de una vez. ¿Puede preguntarlo en pocas frases?",
        "too_many": "Va más rápido que yo. Espere un minuto y pregunte de nuevo, por favor.",
        "unsupported": "De momento solo puedo leer texto. ¿Puede escribir su pregunta?",
        "failed": "Algo ha fallado por nuestra parte y no he podido responder. Pregunte de nuevo en un momento, por favor.",
        "found": "Esto dicen nuestras páginas:",
        "choose": "Elija una opción, por favor: $choices",
        "email": "Eso no parece una dirección de correo. ¿Puede revisarla?",
        "phone": "Eso no parece un número de teléfono. ¿Puede revisarlo?",
        "number": "Responda con un número, por favor.",
        "required": "Lo necesito para continuar.",
        "ready": "¡Gracias! ¿Qué le gustaría saber?",
        "stopped": "De acuerdo, no le escribiré más. Escríbame cuando quiera.",
    },
    "fr": {
        "greeting": "Bonjour ! Je réponds aux questions sur $name à partir de nos propres pages, et je montre où c'est écrit. Que souhaitez-vous savoir ?",
        "help": "Posez-moi toute question sur $name, avec vos mots. Je réponds à partir de nos pages et documents et je cite la source. /reset oublie cette conversation.",
        "reset": "C'est fait : j'ai oublié notre conversation. Que souhaitez-vous savoir ?",
        "no_answer": "Je ne trouve pas cela dans nos pages et documents, et je préfère ne pas deviner. J'ai noté votre question pour l'équipe.",
        "next_contact": "Pour parler à une personne : $contact",
        "next_page": "Vous pouvez joindre une personne ici : $contact",
        "next_none": "Vous pouvez la poser autrement, ou nous contacter directement.",
        "too_long": "C'est plus long que ce que je peux lire d'un coup. Pouvez-vous le demander en quelques phrases ?",
        "too_many": "Vous êtes plus rapide que moi. Attendez une minute et redemandez, s'il vous plaît.",
        "unsupported": "Je ne sais lire que du texte pour l'instant. Pouvez-vous écrire votre question ?",
        "failed": "Un problème est survenu de notre côté et je n'ai pas pu répondre. Redemandez dans un instant, s'il vous plaît.",
        "found": "Voici ce que disent nos pages :",
        "choose": "Choisissez, s'il vous plaît : $choices",
        "email": "Cela ne ressemble pas à une adresse e-mail. Pouvez-vous vérifier ?",
        "phone": "Cela ne ressemble pas à un numéro de téléphone. Pouvez-vous vérifier ?",
        "number": "Répondez par un nombre, s'il vous plaît.",
        "required": "J'en ai besoin pour continuer.",
        "ready": "Merci ! Que souhaitez-vous savoir ?",
        "stopped": "Entendu, je ne vous écrirai plus. Écrivez-moi quand vous voulez.",
    },
}

SKIP = frozenset(["skip", "-", "no", "none", "nein", "überspringen", "nada", "saltar", "omitir", "passer", "non"])


def phrase(language: str, key: str, **values: str) -> str:
    """The phrase in the language, else in English, with its `$values` filled in."""
    text = PHRASES.get(language, PHRASES[FALLBACK])[key]
    return Template(text).safe_substitute(values)
