"""The publications that a report may cite."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A publication: how it is cited, and where it appeared."""

    cited: str
    authors: str
    year: int
    title: str
    venue: str
    place: str = ""


_JAMIA = "Journal of the American Medical Informatics Association"
_KDE = "International Conference on Data Engineering (ICDE)"
_NEURIPS = "Advances in Neural Information Processing Systems (NeurIPS)"

SOURCES = {
    "iyengar": Source(
        "Iyengar 2002",
        "V. S. Iyengar",
        2002,
        "Transforming data to satisfy privacy constraints",
        "Knowledge Discovery and Data Mining (KDD)",
        ", 279\N{EN DASH}288",
    ),
    "prasser": Source(
        "Prasser et al. 2016",
        "F. Prasser, F. Kohlmayer, K. A. Kuhn",
        2016,
        "Efficient and effective pruning strategies for health data de-identification",
        "BMC Medical Informatics and Decision Making",
        " 16:49",
    ),
    "emam": Source(
        "El Emam and Dankar 2008",
        "K. El Emam, F. K. Dankar",
        2008,
        "Protecting privacy using k-anonymity",
        _JAMIA,
        " 15(5), 627\N{EN DASH}637",
    ),
    "samarati": Source(
        "Samarati and Sweeney 1998",
        "P. Samarati, L. Sweeney",
        1998,
        "Protecting privacy when disclosing information: k-anonymity and its enforcement through "
        "generalization and suppression",
        "Technical report SRI-CSL-98-04, SRI International",
    ),
    "machanavajjhala": Source(
        "Machanavajjhala et al. 2007",
        "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam",
        2007,
        "l-diversity: privacy beyond k-anonymity",
        "ACM Transactions on Knowledge Discovery from Data",
        " 1(1), article 3",
    ),
    "li": Source(
        "Li et al. 2007",
        "N. Li, T. Li, S. Venkatasubramanian",
        2007,
        "t-closeness: privacy beyond k-anonymity and l-diversity",
        _KDE,
        ", 106\N{EN DASH}115",
    ),
    "cao": Source(
        "Cao and Karras 2012",
        "J. Cao, P. Karras",
        2012,
        "Publishing microdata with a robust privacy guarantee",
        "Proceedings of the VLDB Endowment",
        " 5(11), 1388\N{EN DASH}1399",
    ),
    "nergiz": Source(
        "Nergiz et al. 2007",
        "M. E. Nergiz, M. Atzori, C. Clifton",
        2007,
        "Hiding the presence of individuals from shared databases",
        "Management of Data (SIGMOD)",
        ", 665\N{EN DASH}676",
    ),
    "sweeney2002": Source(
        "Sweeney 2002",
        "L. Sweeney",
        2002,
        "Achieving k-anonymity privacy protection using generalization and suppression",
        "International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems",
        " 10(5), 571\N{EN DASH}588",
    ),
    "gionis": Source(
        "Gionis and Tassa 2009",
        "A. Gionis, T. Tassa",
        2009,
        "k-Anonymization with minimal loss of information",
        "IEEE Transactions on Knowledge and Data Engineering",
        " 21(2), 206\N{EN DASH}219",
    ),
    "bayardo": Source(
        "Bayardo and Agrawal 2005",
        "R. J. Bayardo, R. Agrawal",
        2005,
        "Data privacy through optimal k-anonymization",
        _KDE,
        ", 217\N{EN DASH}228",
    ),
    "lefevre2006": Source(
        "LeFevre et al. 2006",
        "K. LeFevre, D. J. DeWitt, R. Ramakrishnan",
        2006,
        "Mondrian multidimensional k-anonymity",
        _KDE,
    ),
    "kifer": Source(
        "Kifer and Gehrke 2006",
        "D. Kifer, J. Gehrke",
        2006,
        "Injecting utility into anonymized datasets",
        "Management of Data (SIGMOD)",
        ", 217\N{EN DASH}228",
    ),
    "benitez": Source(
        "Benitez et al. 2010",
        "K. Benitez, G. Loukides, B. Malin",
        2010,
        "Beyond Safe Harbor: automatic discovery of health information de-identification policy "
        "alternatives",
        "International Health Informatics Symposium (IHI)",
        ", 163\N{EN DASH}172",
    ),
    "xia": Source(
        "Xia et al. 2013",
        "W. Xia, R. Heatherly, X. Ding, J. Li, B. Malin",
        2013,
        "Efficient discovery of de-identification policies through a risk-utility frontier",
        "Data and Application Security and Privacy (CODASPY)",
        ", 59\N{EN DASH}70",
    ),
    "kohlmayer": Source(
        "Kohlmayer et al. 2012",
        "F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn",
        2012,
        "Flash: efficient, stable and optimal k-anonymity",
        "Privacy, Security, Risk and Trust (PASSAT)",
    ),
    "emam2009": Source(
        "El Emam et al. 2009",
        "K. El Emam and others",
        2009,
        "A globally optimal k-anonymity method for the de-identification of health data",
        _JAMIA,
        " 16(5), 670\N{EN DASH}682",
    ),
    "lefevre2005": Source(
        "LeFevre et al. 2005",
        "K. LeFevre, D. J. DeWitt, R. Ramakrishnan",
        2005,
        "Incognito: efficient full-domain k-anonymity",
        "Management of Data (SIGMOD)",
        ", 49\N{EN DASH}60",
    ),
    "wan": Source(
        "Wan et al. 2015",
        "Z. Wan and others",
        2015,
        "A game theoretic framework for analyzing re-identification risk",
        "PLoS ONE",
        " 10(3)",
    ),
    "babu": Source(
        "Babu et al. 2013",
        "K. Babu, N. Reddy, N. Kumar, M. Elliot, S. Jena",
        2013,
        "Achieving k-anonymity using improved greedy heuristics for very large relational "
        "databases",
        "Transactions on Data Privacy",
        " 6(1)",
    ),
    "sweeney1997": Source(
        "Sweeney 1997",
        "L. Sweeney",
        1997,
        "Datafly: a system for providing anonymity in medical data",
        "Database Security XI",
    ),
    "hoshino": Source(
        "Hoshino 2001",
        "N. Hoshino",
        2001,
        "Applying Pitman's sampling formula to microdata disclosure risk assessment",
        "Journal of Official Statistics",
        " 17(4), 499\N{EN DASH}520",
    ),
    "zayatz": Source(
        "Zayatz 1991",
        "L. V. Zayatz",
        1991,
        "Estimation of the percent of unique population elements on a microdata file using the "
        "sample",
        "US Bureau of the Census, Statistical Research Division",
        ", report RR-91/08",
    ),
    "chen": Source(
        "Chen and Keller-McNulty 1998",
        "G. Chen, S. Keller-McNulty",
        1998,
        "Estimation of identification disclosure risk in microdata",
        "Journal of Official Statistics",
        " 14(1), 79\N{EN DASH}95",
    ),
    "dankar": Source(
        "Dankar et al. 2012",
        "F. K. Dankar, K. El Emam, A. Neisa, T. Roffey",
        2012,
        "Estimating the re-identification risk of clinical data sets",
        "BMC Medical Informatics and Decision Making",
        " 12:66",
    ),
    "elliot": Source(
        "Elliot, Manning and Ford 2002",
        "M. J. Elliot, A. M. Manning, R. W. Ford",
        2002,
        "A computational algorithm for handling the special uniques problem",
        "International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems",
        " 10(5), 493\N{EN DASH}509",
    ),
}
"""In the order of the list at the end of a report."""

PRIVATE = {
    "mohammed": Source(
        "Mohammed et al. 2013",
        "N. Mohammed, X. Jiang, R. Chen, B. C. M. Fung, L. Ohno-Machado",
        2013,
        "Privacy-preserving heterogeneous health data sharing",
        _JAMIA,
        " 20(3), 462\N{EN DASH}469",
    ),
    "dwork": Source(
        "Dwork et al. 2006",
        "C. Dwork, F. McSherry, K. Nissim, A. Smith",
        2006,
        "Calibrating noise to sensitivity in private data analysis",
        "Theory of Cryptography (TCC)",
        ", 265\N{EN DASH}284",
    ),
    "mckenna": Source(
        "McKenna and Sheldon 2020",
        "R. McKenna, D. R. Sheldon",
        2020,
        "Permute-and-flip: a new mechanism for differentially private selection",
        _NEURIPS,
    ),
    "canonne": Source(
        "Canonne, Kamath and Steinke 2020",
        "C. L. Canonne, G. Kamath, T. Steinke",
        2020,
        "The discrete Gaussian for differential privacy",
        _NEURIPS,
    ),
    "mironov": Source(
        "Mironov 2012",
        "I. Mironov",
        2012,
        "On significance of the least significant bits for differential privacy",
        "Computer and Communications Security (CCS)",
        ", 650\N{EN DASH}661",
    ),
}
"""Of differentially private releases, which their page alone speaks of."""

ALWAYS = ("prasser", "emam", "samarati", "machanavajjhala")
"""What every report cites."""

UNIQUES = ("hoshino", "zayatz", "chen", "dankar")
"""Of the models of population uniques, which a risk assessment alone speaks of."""

SCORES = ("elliot",)
"""Of the scores of unique records, which a risk assessment alone speaks of."""

MODELS = {
    "k-map": "emam",
    "estimated-k-map": "emam",
    "distinct-l-diversity": "machanavajjhala",
    "entropy-l-diversity": "machanavajjhala",
    "recursive-cl-diversity": "machanavajjhala",
    "t-closeness": "li",
    "beta-likeness": "cao",
    "average-risk": "emam",
    "strict-average-risk": "emam",
    "delta-presence": "nergiz",
    "population-risk": "benitez",
}
"""Where each kind of privacy model was published."""

SEARCHES = {
    "best-first": "prasser",
    "flash": "kohlmayer",
    "ola": "emam2009",
    "incognito": "lefevre2005",
    "lattice-based": "wan",
    "igreedy": "babu",
    "datafly": "sweeney1997",
    "k-optimize": "bayardo",
    "partition-genetic": "iyengar",
}
"""Where each search was published; those not named are Roadstead's own."""
