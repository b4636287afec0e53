import type * as en from '../en'

/** Connections to the outside: the proxy, and the certificates that are trusted. */
export const network: typeof en.network = {
  proxy: 'Proxy',
  intro:
    'Voor verbindingen met de service en met labels via een URL. Bij de instellingen van het systeem hoort ook hun PAC-bestand; deze computer zelf wordt nooit via een proxy bereikt.',
  mode: 'Adressen buiten worden bereikt',
  modes: {
    system: 'Zoals het systeem zegt',
    manual: 'Via deze proxy',
    off: 'Rechtstreeks',
  },
  nowDirect: 'De service wordt nu rechtstreeks bereikt.',
  nowProxy: 'De service wordt nu via {{proxy}} bereikt.',
  fields: {
    host: 'Hostnaam',
    port: 'Poort',
    tls: 'Verbind met de proxy zelf via TLS',
    exceptions: 'Rechtstreeks bereikt',
    file: 'Bestand met certificaten (PEM)',
    pem: 'Certificaten (PEM)',
    user: 'Gebruikersnaam',
    password: 'Wachtwoord',
    address: 'Adres van de service',
  },
  exceptionsHint: 'Adressen zoals wms.example, of .example voor alles daaronder.',
  hostIssue: 'Vul een adres in zonder https:// en zonder poort.',
  credentials: 'Aanmelden bij de proxy',
  credentialsKept:
    'Een gebruikersnaam en wachtwoord zijn bewaard voor {{proxy}}. Geen andere proxy krijgt ze.',
  credentialsMissing: 'Er zijn geen gebruikersnaam en wachtwoord bewaard.',
  keepCredentials: 'Bewaren',
  forgetCredentials: 'Vergeten',
  saveFirst: 'Sla eerst de instellingen op; de test neemt wat hier is ingevuld.',
  certificates: 'Certificaten',
  certificatesIntro:
    'Een bedrijf waarvan de proxy TLS-verkeer controleert, of waarvan de service een eigen certificaat heeft, heeft een eigen certificaatinstantie.',
  system: 'Vertrouw de instanties die het systeem vertrouwt',
  fileHint: 'Volledig pad op deze computer; gelezen bij het starten en bij het opslaan.',
  fileIssue: 'Vul een volledig pad op deze computer in, niet op een netwerkmap.',
  pemHint: 'In plaats van een bestand: van BEGIN CERTIFICATE tot END CERTIFICATE. Nooit een privésleutel.',
  pemIssue: 'Dit is geen certificaat (PEM), of er staat een privésleutel in.',
  test: 'Verbindingstest',
  testIntro: 'Test de verbinding met de service stap voor stap, met wat hierboven staat, opgeslagen of niet.',
  addressHint: 'Leeg voor dat van het account.',
  direct: 'Rechtstreeks naar {{target}}',
  through: 'Naar {{target}} via {{proxy}}',
  hops: {
    certificates: 'Certificaten van de instellingen',
    proxy: 'De proxy is bereikbaar',
    tunnel: 'De proxy laat door',
    trust: 'Het certificaat van de service wordt vertrouwd',
    service: 'De service antwoordt',
  },
  issuer: 'Uitgegeven door {{issuer}}',
  notAsked:
    'Er is geen verzoek naar de service gestuurd: verbind het account en sla deze instellingen op, en test dan opnieuw.',
  good: 'goed',
  bad: 'mislukt',
}
