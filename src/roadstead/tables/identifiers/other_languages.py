"""What columns are called in Portuguese, Spanish, German, French, Italian and Dutch.

The patterns are searched in the words of a name, as `column_names.words` writes them: small
letters, no accents, underscores between words. A German name is often one word of several, so some
patterns end in any letters. They stand beside the English ones and need not be complete: to know
another column, add a word here.
"""

from __future__ import annotations

from typing import Final

_PERSON: Final = (
    r"(d[aeo]s? |del |du |della |dell |van )?(completo|completa|complet|propri[oi]s?|patient(e|en)?"
    r"|paciente|paziente|doente|utente|mae|pai|madre|padre|mere|pere|familia|famille|famiglia)"
).replace(" ", "_")

NAME: Final = (
    rf"^(nomes?|nombres?|noms?|nome_e_cognome|naam|prenoms?)(_{_PERSON})*$"
    r"|(^|_)(apellidos?|apelidos?|sobrenomes?|vornamen?|nachnamen?|zunamen?|familiennamen?"
    r"|geburtsnamen?|ma(e)?dchennamen?|rufnamen?|patienten_?namen?|prenoms?|cognom[ei]|voorna+me?n?"
    r"|achterna+me?n?|meisjesnaam|initialen|iniciais|iniciales|initiales)\d?(_|$)"
    r"|^(paciente|doente|paziente|naam_patient)$"
)
"""Names of people. What else has a name, such as ``nome_medicamento``, is not among them."""

PHONE: Final = (
    r"telefon\w*|telemovel|(^|_)(telef|tlf|tlm|tfno|movil|celular|cellulare|handy|rufnummer"
    r"|portable|gsm|mobil(e|nummer|_?nr)?)(_|$)"
)
MAIL: Final = r"(^|_)(correo|correio)_elec?tronico(_|$)|courriel"

STREET: Final = (
    r"strasse\w*|(^|_)(str|anschrift|wohnanschrift|adress\w*|adres|hausn(r|ummer)|endereco|direccion"
    r"|morada|domicili[oe]|rua|calle|indirizzo|rue|straat|huisnummer)(_|$)"
)
ZIP: Final = r"postleitzahl|codigo_?postal|code_?postal|cod_?postal|cpostal|cep|codice_postale"
PLACE: Final = (
    r"wohnort|geburtsort|wohnsitz|stadt|ort|ortsteil|gemeinde|landkreis|kreis|bezirk|cidade|ciudad"
    r"|municipio|concelho|freguesia|distrito|localida(de|d)|poblacion|bairro|barrio|naturalidade"
    r"|residenc(e|ia)|residenza|ville|commune|citta|comune|provincia|woonplaats|gemeente"
    r"|local_(de_)?nasc\w*|lugar_(de_)?nac\w*|lieu_(de_)?naiss\w*|luogo_(di_)?nascita"
)

BIRTH_YEAR: Final = (
    r"(^|_)(geburtsjahr|geboortejaar|a[n]+[eo]e?_((de|di)_)?(nasc|nac|naiss)\w*)(_|$)"
)
DATE: Final = (
    r"(^|_)\w*datum(_|$)|(^|_)geb_?dat(_|$)|(^|_)(data|fecha|date)_((de|di)_)?"
    r"(nasc|nac|naiss|obito|muerte|morte|deces|admiss|ingreso|alta|entree|sortie|consulta|exame)\w*"
    r"(_|$)"
)

NATIONAL: Final = (
    r"(^|_)(nif|nie|dni|nipc|niss|nuss|nus|sns|cpf|curp|rfc|nir|bsn|insz|pesel|personnummer|ahv"
    r"|codice_?fiscale|cod_?fisc\w*|steuer_?(nr|nummer|id|identifikation\w*)"
    r"|sozialversicherung\w*|sv_?(nr|nummer)|segurid?(ad|ade|anca)_social|seguranca_social"
    r"|securite_sociale|num_?secu|burgerservicenummer|cartao_((de|do)_)?cidadao"
    r"|(numero_|num_|n_|nr_)?((de|do)_)?utente)(_(nr|num|numero|nummer|id))?(_|$)"
)
"""Numbers that a state, a tax office or a national health service gives to one person."""

INSURED: Final = (
    r"versicherten_?(nr|nummer|id)|krankenversicherung\w*_?(nr|nummer)|(^|_)kvnr(_|$)"
    r"|carte_vitale|tessera_sanitaria|tarjeta_sanitaria"
)
RECORD: Final = (
    r"(^|_)(nhc|prontuario|historia_clinica|(numero_|num_|n_)?((de|do)_)?processo(_clinico)?"
    r"|patienten_?(nr|nummer|id)|fall_?(nr|nummer|id)|aktenzeichen|cartella_clinica"
    r"|numero_(de_)?dossier)(_|$)"
)
LICENSE: Final = (
    r"(^|_)(passaporte|pasaporte|passeport|passaporto|reisepass\w*|\w*ausweis\w*|fuhrerschein\w*"
    r"|fuehrerschein\w*|carta_((de|da)_)?conducao|permis(o)?_(de_)?condui?(re|cir))(_|$)"
)
ACCOUNT: Final = (
    r"(^|_)(konto_?(nr|nummer)|nib|(numero_|num_)?((de|da)_)?(conta|cuenta)_bancaria)(_|$)"
)

AGE: Final = r"idade|edad|eta|leeftijd|lebensalter"

KNOWN: Final = (
    r"geschlecht|sexo|sexe|sesso|geslacht|genero|idade|edad|eta|leeftijd|lebensalter|geb\w*"
    r"|nasc\w*|nacimiento|naissance|nascita|beruf\w*|profiss\w*|profesion|metier|ocupac\w*"
    r"|professione|beroep|familienstand|estado_civil|etat_civil|stato_civile"
    r"|staatsangehorigkeit|nacionalidade?|naturalidade|raca|raza|etnia|konfession|bildung\w*"
    r"|schulabschluss|escolarida(d|de)|habilitac\w*|instruccion|pais|pays|paese|land|bundesland"
    r"|kanton|comunidad\w*|provincia|provincie|distrito|krankenhaus|klinik|ziekenhuis|ospedale"
    r"|station|abteilung|arzt|arztin|medico|medica|medecin|doctors?|surgeons?|nurses?|servicio"
    r"|servico|unidade?|gewicht|grosse|groesse|peso|altura|poids|taille|aufnahme\w*|entlassung\w*"
    r"|ingreso|internamento|alta|entree|sortie|sterbe\w*|todes\w*|obito|muerte|deces|hijos|filhos"
    r"|enfants|kinder"
)
"""What others may know of a person."""

UNKNOWN: Final = (
    r"erkrankung|krankheit|doenca|enfermedad|maladie|malattia|ziekte|befund|(^|_)(resultado|ergebnis"
    r"|desfecho|cid|cie|cid10|cie10|einkommen|gehalt|salario|rendimento|ingresos|revenu|reddito)(_|$)"
    r"|medikament|farmaco|tratamiento|tratamento|traitement|raucher|fumador|fumeur|schwanger|embaraz"
    r"|gravidez|sucht"
)
"""What nobody should learn."""
