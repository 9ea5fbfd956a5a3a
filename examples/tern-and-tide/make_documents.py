"""Write the two documents of the example business Tern & Tide.

    python -m venv /tmp/docs && /tmp/docs/bin/pip install reportlab python-docx
    /tmp/docs/bin/python examples/tern-and-tide/make_documents.py

The result is site/documents/skipper-guide.pdf (two columns, with a running
header and footer) and site/documents/terms-of-hire.docx.
"""

import datetime
from pathlib import Path

from docx import Document
from docx.shared import Pt
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Spacer, Table, TableStyle

FOLDER = Path(__file__).resolve().parent / "site" / "documents"

TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=17, leading=21, spaceAfter=6)
HEAD = ParagraphStyle(
    "head", fontName="Helvetica-Bold", fontSize=12, leading=15, spaceBefore=9, spaceAfter=3, keepWithNext=1
)
TEXT = ParagraphStyle("text", fontName="Times-Roman", fontSize=11.4, leading=14.8, spaceAfter=5)
ITEM = ParagraphStyle("item", parent=TEXT, leftIndent=12, bulletIndent=0, spaceAfter=2)
CELL = ParagraphStyle("cell", parent=TEXT, fontSize=9.6, leading=12, spaceAfter=0)

# Each entry: ("h", heading), ("p", paragraph), ("l", [items]) or ("t", rows).
GUIDE = [
    ("title", "Skipper's guide"),
    (
        "p",
        "For everybody who leads a group or hands out boats at Tern &amp; Tide. It lies open to our guests too, because "
        "nobody should have to guess why a guide says no. Edition 7, in force from 1 March 2026. Where this guide and your "
        "own doubt disagree, follow the doubt and stay ashore.",
    ),
    ("h", "1. Tides"),
    (
        "p",
        "Our tables are made for Port Wrayle. At Saltmere high water comes 18 minutes later and low water 25 minutes later. "
        "The range is about 4.6 metres at springs and 2.1 metres at neaps. Write the corrected times on the slate by the "
        "door before the first boat leaves.",
    ),
    (
        "l",
        [
            "Heron Bar may be crossed from two hours before to two hours after high water, and at no other time.",
            "The Quay Slip is closed for 90 minutes on either side of low water at springs: the mud below the last step has "
            "swallowed two paddles and a boot.",
            "The ebb in the Narrows runs at up to 3.5 knots. Hired boats do not go there in the second and third hour of the ebb.",
            "The wreck of the Amity Jane can only be paddled through when there are at least 1.2 metres over the keelson, "
            "which is to say from half flood to half ebb.",
        ],
    ),
    ("h", "2. Radio"),
    (
        "p",
        "Each guide carries a hand-held set in a pouch, switched on. We work on channel 72. Distress and calling is channel 16, "
        "and the harbour office listens on channel 14. Our shore station answers to the name Tern Base; guides are Tern One, "
        "Tern Two and so on, in the order of the slate.",
    ),
    (
        "l",
        [
            "Radio check before launching, then every 30 minutes on the half hour.",
            "If two checks in a row are missed, Tern Base rings the guide's telephone; after a third it calls the coastguard.",
            "Batteries are charged overnight and changed after 26 months, whatever they say about themselves.",
        ],
    ),
    ("h", "3. Weather limits"),
    (
        "p",
        "The head guide takes the inshore forecast at 06:30 and again two hours before each start. The stricter of forecast "
        "and what you see counts. A limit reached is a tour cancelled; there is no arguing by people who have come far.",
    ),
    (
        "t",
        [
            ["Trip", "Mean wind", "Gusts", "Wave height"],
            ["Hire in the harbour", "16 knots", "22 knots", "0.4 m"],
            ["First Strokes", "14 knots", "20 knots", "0.3 m"],
            ["Sunset Paddle", "12 knots", "18 knots", "0.5 m"],
            ["Seal Bay", "13 knots", "19 knots", "0.7 m"],
            ["Wreck &amp; Lighthouse", "11 knots", "17 knots", "0.9 m"],
        ],
    ),
    (
        "p",
        "With wind blowing off the land, take 4 knots from each of these figures. Visibility must be at least one nautical "
        "mile, and two for the lighthouse. After thunder nobody launches until 30 minutes have passed since the last clap.",
    ),
    (
        "p",
        "When the water is colder than 10 degrees, wetsuits are not a choice but a rule, and First Strokes does without the "
        "capsize.",
    ),
    ("h", "4. How many to a guide"),
    (
        "p",
        "Inside the harbour wall one guide may lead six boats. Beyond it the figure is five, and at the lighthouse four. "
        "The second guide always paddles last. No guide leads more than two trips a day, and never two long ones.",
    ),
    ("h", "5. What the guide carries"),
    (
        "l",
        [
            "Tow line of 15 metres with a quick release, worn and not stowed",
            "First-aid bag, checked on the first of each month and sealed with a blue tag",
            "Two red hand flares and one orange smoke, not past their date",
            "Group shelter for eight, spare split paddle, spare buoyancy aid",
            "Knife with a blunt tip, whistle, 2 litres of water, six bars of chocolate",
        ],
    ),
    ("h", "6. Checking a boat out"),
    ("p", "The check-out takes six minutes if nobody hurries. Do it in this order and tick the card:"),
    (
        "l",
        [
            "Read the name on the booking aloud and see a photo identity card.",
            "Ask for swimming, illness, and medicine that must come along.",
            "Close both hatches and press on each lid with a flat hand.",
            "Pull the buoyancy aid up by the shoulders: if it rises past the ears it is too large.",
            "Have the guest blow the whistle once. Yes, loudly.",
            "Show the red buoy line on the map and let the guest point to it.",
            "Write the hull number and the time due back on the slate.",
        ],
    ),
    ("h", "7. When a boat is late"),
    (
        "p",
        "At 20 minutes past the time due back, ring the guest. At 40 minutes send the launch, the <i>Sandpiper</i>, along "
        "the river with two people on board. At 60 minutes call the coastguard, whether or not somebody thinks they have seen "
        "the boat outside the pub.",
    ),
    ("h", "8. Seals and birds"),
    (
        "p",
        "Keep 100 metres from seals hauled out on Long Sand, and 50 metres from any seal in the water that has not come to you "
        "by itself. If heads go up, you are too close; if one animal moves towards the water, turn round. On land we stay "
        "behind the line of white stakes. Watching lasts no longer than 25 minutes.",
    ),
    ("p", "From 1 May to 31 July keep 150 metres from the shingle where the little terns nest."),
    ("h", "9. Capsize and cold"),
    (
        "p",
        "Put the person back in the boat before you save the boat. Aim for two minutes. Whoever shivers and jokes is cold; "
        "whoever shivers and has stopped joking is very cold and goes into the shelter with a guide. Nobody who has been in the "
        "water for more than ten minutes paddles home: call the launch.",
    ),
    ("h", "10. After the trip"),
    (
        "l",
        [
            "Count people, then boats, then paddles. In that order.",
            "Rinse buoyancy aids and hang them by the left shoulder.",
            "Write near-misses in the yellow book the same evening. We read them aloud on Tuesdays, without names.",
            "Wipe the slate only when everybody is home.",
        ],
    ),
    ("h", "11. Who decides"),
    (
        "p",
        "The head guide decides whether a trip starts. Once afloat, the guide in front decides, and may turn back for any "
        "reason or none. No manager, guest or weather app can overrule a no. A yes needs two people; a no needs one.",
    ),
    ("h", "12. In the dark"),
    (
        "p",
        "Nobody paddles after dark without a guide. Each boat shows a white light on the stern, and the guide wears a green one "
        "on the left shoulder so that people know whom to follow. The last landing is 45 minutes after sunset. Count heads at "
        "the red buoy, at the point and at the slip.",
    ),
    ("h", "13. Other traffic"),
    (
        "p",
        "Fishing boats leave between 04:30 and 06:00 and come home with the tide. They have right of way from us, whatever the "
        "rule book says. Cross the channel in one tight bunch and at a right angle, never in a line. Two short blasts "
        "from the harbour office mean that something large is moving: go to the side and wait.",
    ),
    ("h", "14. The launch"),
    (
        "p",
        "The <i>Sandpiper</i> carries six people and one kayak across her bow. Her tank holds 40 litres and must never be less "
        "than half full at closing time. Only staff with the blue card may take the helm. She is for rescue and towing, not "
        "for fetching sandwiches.",
    ),
    ("h", "15. Hurt or ill on land"),
    (
        "p",
        "The defibrillator hangs on the outer wall of the harbour office, in the green cabinet, and needs no code. The large "
        "first-aid box stands under the stairs of the loft. The place where the ambulance meets us is the anchor at Quay Head. "
        "Write down what happened while you still remember it.",
    ),
    ("h", "16. Once a year"),
    (
        "l",
        [
            "Every guide swims 200 metres in full kit in April and rescues a colleague, who has been told to be no help.",
            "Buoyancy aids are tested in the dock with a lead weight of 6 kg; those that sink are cut up.",
            "Tow lines are replaced after three seasons, used or not.",
        ],
    ),
]


def draw_page(canvas, doc):
    width, height = A4
    canvas.saveState()
    canvas.setFont("Helvetica", 8.5)
    canvas.setFillColor(colors.HexColor("#12505b"))
    canvas.drawString(18 * mm, height - 13 * mm, "Tern & Tide, Saltmere")
    canvas.drawRightString(width - 18 * mm, height - 13 * mm, "Skipper's guide, edition 7")
    canvas.line(18 * mm, height - 15 * mm, width - 18 * mm, height - 15 * mm)
    canvas.line(18 * mm, 14 * mm, width - 18 * mm, 14 * mm)
    canvas.drawString(18 * mm, 10 * mm, "Printed copies may be out of date")
    canvas.drawRightString(width - 18 * mm, 10 * mm, "Page %d" % doc.page)
    canvas.restoreState()


def make_guide(path):
    width, height = A4
    gap, side, column = 8 * mm, 18 * mm, (width - 2 * 18 * mm - 8 * mm) / 2
    frames = [
        Frame(
            side + i * (column + gap),
            17 * mm,
            column,
            height - 35 * mm,
            leftPadding=0,
            rightPadding=0,
            topPadding=0,
            bottomPadding=0,
            id="column%d" % i,
        )
        for i in (0, 1)
    ]
    doc = BaseDocTemplate(
        str(path),
        pagesize=A4,
        title="Skipper's guide",
        author="Tern & Tide",
        subject="Tides, radio, weather and hire",
        invariant=1,
    )
    doc.addPageTemplates([PageTemplate(id="two", frames=frames, onPage=draw_page)])
    story = []
    for kind, value in GUIDE:
        if kind == "title":
            story.append(Paragraph(value, TITLE))
        elif kind == "h":
            story.append(Paragraph(value, HEAD))
        elif kind == "p":
            story.append(Paragraph(value, TEXT))
        elif kind == "l":
            story += [Paragraph(item, ITEM, bulletText="\u2022") for item in value] + [Spacer(1, 4)]
        else:
            rows = [[Paragraph(cell, CELL) for cell in row] for row in value]
            table = Table(rows, colWidths=[column * 0.37, column * 0.21, column * 0.2, column * 0.22])
            table.setStyle(
                TableStyle(
                    [
                        ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
                        ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e8f1ef")),
                        ("VALIGN", (0, 0), (-1, -1), "TOP"),
                        ("TOPPADDING", (0, 0), (-1, -1), 2),
                        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
                    ]
                )
            )
            story += [table, Spacer(1, 6)]
    doc.build(story)


def make_terms(path):
    doc = Document()
    doc.styles["Normal"].font.name = "Georgia"
    doc.styles["Normal"].font.size = Pt(11)
    doc.core_properties.title = "Terms of hire"
    doc.core_properties.author = "Tern & Tide"
    when = datetime.datetime(2026, 3, 1, 9, 0)
    doc.core_properties.created = doc.core_properties.modified = when
    section = doc.sections[0]
    section.header.paragraphs[0].text = "Tern & Tide, Saltmere: terms of hire"
    section.footer.paragraphs[0].text = "In force from 1 March 2026"

    doc.add_heading("Terms of hire", 0)
    doc.add_paragraph(
        "These terms apply whenever you hire a boat or a bike from Tern & Tide, The Old Net Loft, 4 Quay Lane, "
        "Saltmere. They do not apply to guided tours. By signing the check-out card you accept them."
    )
    doc.add_heading("1. Who may sign", 1)
    doc.add_paragraph(
        "The hirer shows a passport, an identity card or a driving licence. A photograph of one on a telephone is "
        "not enough. One hirer may sign for up to four boats or six bikes; beyond that a second adult signs too."
    )
    doc.add_heading("2. Deposit", 1)
    doc.add_paragraph(
        "We reserve the deposit on a bank card when you collect and release it when everything has come back in good "
        "order. Your bank may take up to three working days to show it. A deposit in cash is possible for boats only, "
        "and is repaid on the spot."
    )
    rows = [
        ("Boat", "Deposit per boat", "With Harbour Pass"),
        ("Single sit-on-top", "£60", "£30"),
        ("Single touring kayak", "£120", "£60"),
        ("Double kayak", "£140", "£70"),
        ("Family canoe", "£180", "£90"),
    ]
    table = doc.add_table(rows=0, cols=3)
    table.style = "Light Grid Accent 1"
    for row in rows:
        for cell, value in zip(table.add_row().cells, row):
            cell.text = value
    doc.add_paragraph("")
    doc.add_heading("3. Coming back late", 1)
    doc.add_paragraph(
        "You have fifteen minutes of grace. After that we charge £8 for each quarter of an hour begun, per boat, and "
        "£4 per bike. If you ring before your time is over and nobody is waiting for the boat, we charge only the "
        "ordinary price of the longer hire. If our launch has to fetch you because you forgot the time, it costs £45."
    )
    doc.add_heading("4. Lost things", 1)
    doc.add_paragraph("We take these sums from the deposit and send a bill for the rest, if any:")
    for item in (
        "Paddle: £55",
        "Spray deck: £38",
        "Buoyancy aid: £65",
        "Bike helmet: £32",
        "Folding lock or its key: £28",
        "E-bike battery key: £40",
        "E-bike charger: £85",
        "Laminated map: £4",
    ):
        doc.add_paragraph(item, style="List Bullet")
    doc.add_paragraph("If a lost thing turns up within 30 days you get the money back less £5.")
    doc.add_heading("5. Cleaning", 1)
    doc.add_paragraph(
        "Sand is normal. For a boat or a trailer that comes back with fish scales, tar or dog hair all over we charge "
        "£15. A wetsuit that was used as a lavatory costs £12; we will not ask."
    )
    doc.add_heading("6. What you may not do", 1)
    for item in (
        "Lend the boat or bike to somebody who was not at the briefing",
        "Tow anything or be towed by a motor boat, except in an emergency",
        "Ride on the beach or through salt water: the bearings never forgive it",
        "Carry a second person on a bike that has one saddle",
        "Take a bike on the ferry to Gannet Rock",
    ):
        doc.add_paragraph(item, style="List Number")
    doc.add_heading("7. Ending the hire early", 1)
    doc.add_paragraph(
        "If you come back early we do not repay the difference, with one exception: if you return within the first "
        "30 minutes because somebody is unwell or afraid, we charge only £10 per boat."
    )
    doc.add_heading("8. Your details", 1)
    doc.add_paragraph(
        "We keep check-out cards for 13 months, in a locked cupboard, and then shred them. Copies of identity papers "
        "are not made."
    )
    doc.add_heading("9. Disputes", 1)
    doc.add_paragraph(
        "If we cannot agree, either side may ask the harbour arbitrator of Saltmere, whose fee of £70 is shared in "
        "equal parts. You keep all rights the law gives you."
    )
    doc.save(path)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    make_guide(FOLDER / "skipper-guide.pdf")
    make_terms(FOLDER / "terms-of-hire.docx")
    print("written to", FOLDER)
