"""Texts to ask a chat model about: pairs for lists of examples, facts, two names in a sentence, questions, prose."""

# Pairs for lists of examples: the first 24 make three draws of eight, the others are asked.
PAIRS = {
    "capitals": """
        Norway:Oslo Peru:Lima Kenya:Nairobi Iran:Tehran Poland:Warsaw Cuba:Havana Ghana:Accra Malta:Valletta
        Sweden:Stockholm Chile:Santiago Nepal:Kathmandu Libya:Tripoli Hungary:Budapest Jordan:Amman Fiji:Suva Qatar:Doha
        Finland:Helsinki Bolivia:La_Paz Laos:Vientiane Angola:Luanda Estonia:Tallinn Yemen:Sanaa Mali:Bamako
        Uruguay:Montevideo
        France:Paris Germany:Berlin Italy:Rome Spain:Madrid Portugal:Lisbon Ireland:Dublin Belgium:Brussels
        Netherlands:Amsterdam Denmark:Copenhagen Austria:Vienna Switzerland:Bern Greece:Athens Turkey:Ankara
        Russia:Moscow Ukraine:Kyiv Romania:Bucharest Bulgaria:Sofia Serbia:Belgrade Croatia:Zagreb Egypt:Cairo
        Morocco:Rabat Ethiopia:Addis_Ababa Senegal:Dakar Uganda:Kampala Japan:Tokyo China:Beijing Thailand:Bangkok
        Vietnam:Hanoi Indonesia:Jakarta Philippines:Manila Pakistan:Islamabad Afghanistan:Kabul Iraq:Baghdad
        Syria:Damascus Lebanon:Beirut Canada:Ottawa Argentina:Buenos_Aires Colombia:Bogotá Venezuela:Caracas
        Australia:Canberra Iceland:Reykjavik Tunisia:Tunis""",
    "opposites": """
        tall:short brave:cowardly rough:smooth laugh:cry heavy:light sick:healthy question:answer tight:loose
        arrive:leave cheap:expensive far:near safe:dangerous summer:winter awake:asleep increase:decrease
        guilty:innocent husband:wife borrow:lend above:below modern:ancient victory:defeat remember:forget
        simple:complex lazy:active
        hot:cold big:small up:down left:right good:bad day:night fast:slow high:low open:closed old:young rich:poor
        happy:sad wet:dry hard:soft strong:weak full:empty clean:dirty early:late inside:outside start:end win:lose
        buy:sell push:pull give:take love:hate true:false front:back top:bottom black:white before:after first:last
        north:south east:west wide:narrow thick:thin deep:shallow loud:quiet sweet:sour sharp:dull war:peace
        male:female""",
    "French": """
        apple:pomme winter:hiver king:roi church:église fish:poisson hand:main yes:oui three:trois
        cheese:fromage summer:été queen:reine school:école bird:oiseau head:tête no:non two:deux
        wine:vin spring:printemps friend:ami street:rue horse:cheval heart:c\u0153ur one:un four:quatre
        dog:chien cat:chat house:maison water:eau bread:pain milk:lait red:rouge green:vert blue:bleu white:blanc
        black:noir day:jour night:nuit sun:soleil moon:lune book:livre door:porte window:fenêtre tree:arbre flower:fleur
        mother:mère father:père brother:frère sister:s\u0153ur eye:\u0153il city:ville sea:mer mountain:montagne
        snow:neige rain:pluie wind:vent fire:feu earth:terre star:étoile boy:garçon girl:fille man:homme woman:femme
        child:enfant egg:\u0153uf salt:sel sugar:sucre"""}

# The subject, what is said of it, and the answer's beginning.
FACTS = """
The Eiffel Tower|stands in the city of|Paris
The Colosseum|stands in the city of|Rome
The Kremlin|stands in the city of|Moscow
The Brandenburg Gate|stands in the city of|Berlin
The Parthenon|stands in the city of|Athens
The Tower Bridge|stands in the city of|London
The Louvre|is a museum in the city of|Paris
The Sagrada Familia|stands in the city of|Barcelona
The Golden Gate Bridge|stands in the city of San|Francisco
The Forbidden City|lies in the city of|Beijing
The Sydney Opera House|stands in the country of|Australia
The Taj Mahal|stands in the country of|India
Machu Picchu|lies in the country of|Peru
Mount Fuji|lies in the country of|Japan
The Great Pyramid|stands in the country of|Egypt
The capital of France|is the city of|Paris
The capital of Japan|is the city of|Tokyo
The capital of Italy|is the city of|Rome
The capital of Spain|is the city of|Madrid
The capital of Egypt|is the city of|Cairo
The capital of Germany|is the city of|Berlin
The capital of Russia|is the city of|Moscow
The capital of Sweden|is the city of|Stockholm
The capital of Austria|is the city of|Vienna
The capital of Poland|is the city of|Warsaw
The capital of Greece|is the city of|Athens
The capital of Ireland|is the city of|Dublin
The capital of Portugal|is the city of|Lisbon
The capital of Norway|is the city of|Oslo
The capital of Hungary|is the city of|Budapest
Beethoven|was born in the country of|Germany
Mozart|was born in the country of|Austria
Napoleon|was the emperor of|France
Cleopatra|was the queen of|Egypt
Volkswagen|is a car company from the country of|Germany
Ferrari|is a car company from the country of|Italy
Toyota|is a car company from the country of|Japan
Sushi|is a dish from the country of|Japan
Pizza|is a dish from the country of|Italy
The samba|is a dance from the country of|Brazil
The language spoken in Brazil|is called|Portuguese
The language spoken in Mexico|is called|Spanish
The language spoken in Austria|is called|German
The largest planet|is called|Jupiter
The largest ocean|is called the|Pacific
Romeo and Juliet|was written by William|Shakespeare
The theory of relativity|was developed by Albert|Einstein
The Mona Lisa|was painted by Leonardo da|Vinci
The theory of evolution|was developed by Charles|Darwin
The first man on the moon|was called Neil|Armstrong"""

# Two names; who gives is one of them, and the other is to come.
NAMES = "Mary John Tom Anna Paul Lisa Mark Sarah Peter Jane James Kate Alice David Emma Jack".split()
GIVING = [
    "When {} and {} went to the shop, {} gave a drink to",
    "After {} and {} had met at the station, {} handed a letter to",
    "While {} and {} were working in the garden, {} showed a flower to",
    "Before {} and {} left the school, {} lent a book to"]

# A question, and what a right answer holds.
QUESTIONS = """
What is the capital of France?|Paris
What is the capital of Japan?|Tokyo
What is the capital of Australia?|Canberra
What is 7 plus 5?|12
What is 17 times 3?|51
In which year did the Second World War end?|1945
Which planet is the largest of the solar system?|Jupiter
How many legs does a spider have?|eight
Which language is spoken in Brazil?|Portuguese
Who wrote Romeo and Juliet?|Shakespeare
Who painted the Mona Lisa?|Leonardo
What is the opposite of cold?|hot
What do bees make?|honey
Which ocean is the largest?|Pacific
At how many degrees Celsius does water boil?|100
Which metal is liquid at room temperature?|mercury
How many days has a leap year?|366
What is the longest river in Africa?|Nile
Who was the first man on the moon?|Armstrong
Which gas do plants take in from the air?|carbon dioxide"""

LETTERS = "strawberry banana piano window butterfly chair mountain guitar apple elephant river kitchen".split()
NUMBERS = [2, 7, 9, 13, 15, 21, 23, 27, 29, 31, 33, 39]      # six of them are prime

# Sixteen texts about nothing in particular, with at least forty pieces each.
PROSE = """
The baker opened his shop before sunrise, as he had done for thirty years. By the time the first children walked past
on their way to school, the whole street smelled of warm bread, and the old woman from the corner house was waiting at
the door.

When the rain finally stopped, we went down to the harbour to look at the boats. Most of them had been tied up for the
winter, and only a small red one was still moving slowly towards the open sea.

A good bridge must carry its own weight before it can carry anything else. For this reason engineers first calculate
the load of the beams and cables, and only then ask how many cars and people may cross it at the same time.

My grandmother kept her letters in a tin box under the bed. After her death we found more than two hundred of them,
sorted by year, and tied together with a blue ribbon that she must have worn as a girl.

Trees drink through their roots and breathe through their leaves. In summer a large oak can lift several hundred
litres of water a day from the soil into its crown, without a pump and without making any noise.

The meeting began late because nobody had brought the key to the room. While we were standing in the corridor, the new
director told us about her plans for the next year, and most of the questions were answered before we sat down.

In the north of the country the nights are long in winter, and people use them to repair their nets, to mend their
clothes and to tell stories. Some of these stories are so old that nobody knows who told them first.

The experiment was repeated three times with different samples. In each case the temperature rose quickly during the
first minute, remained constant for about an hour, and then fell back to the value that had been measured at the
beginning.

He had never wanted to become a teacher. But when the school in the valley could not find anybody for mathematics, he
agreed to help for a few weeks, and twenty years later he was still standing in front of the same blackboard.

To make a simple soup, cut two onions and a carrot into small pieces and fry them in butter. Add a litre of water,
some salt and a handful of rice, and let everything cook slowly for half an hour.

The museum is closed on Mondays, but the garden behind it is open every day. On warm evenings students sit on the
grass between the statues, read their books, and share what they have brought from the market.

The city grew quickly after the railway had been built. Within ten years the number of inhabitants doubled, new
factories rose along the river, and the fields where cows had stood became streets with shops and schools.

She closed the window and listened. The sound was still there, a soft knocking that came from somewhere above the
ceiling. It could not be the wind, because the trees in front of the house were standing perfectly still.

Money is useful because everybody accepts it. A farmer who wants shoes does not have to find a shoemaker who wants
potatoes; he sells his potatoes to anybody, and buys the shoes with what he has received for them.

The team lost its first four games of the season and won all of the others. Nobody could explain what had changed, but
the players said that they had begun to eat together every evening after training.

The moon has no light of its own. What we see at night is the light of the sun, which falls on its surface and is
thrown back to us, and the dark part is the side that the sun does not reach."""


def pairs(name):
    """The pairs of a list in `PAIRS`, in its order.

    >>> pairs("capitals")[:2]
    [('Norway', 'Oslo'), ('Peru', 'Lima')]
    """
    return [tuple(pair.replace("_", " ").split(":")) for pair in PAIRS[name].split()]


def rows(text):
    """The rows of a table of texts, cut at its bars.

    >>> rows(FACTS)[0]
    ('The Eiffel Tower', 'stands in the city of', 'Paris')
    """
    return [tuple(line.split("|")) for line in text.strip().splitlines()]


def paragraphs():
    """The texts of `PROSE`.

    >>> len(paragraphs()), paragraphs()[0][:35]
    (16, 'The baker opened his shop before su')
    """
    return [" ".join(text.split()) for text in PROSE.strip().split("\n\n")]
