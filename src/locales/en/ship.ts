import type { LabelDefect } from '../../shared/shipments'

/** Names of the draft's fields, as labels on the screen. */
export const fields = {
  reference: 'Reference',
  carrier: 'Carrier option',
  carrierOptionId: 'Carrier option',
  companyName: 'Company name',
  firstName: 'First name',
  lastName: 'Last name',
  street: 'Street',
  houseNumber: 'House number',
  postalCode: 'Postal code',
  city: 'City',
  country: 'Country',
  email: 'E-mail',
  phoneNumber: 'Phone',
  weight: 'Weight (kg)',
  numberOfPackages: 'Packages',
  content: 'Content',
  length: 'Length (cm)',
  width: 'Width (cm)',
  height: 'Height (cm)',
  reference2: 'Second reference',
  printer: 'Printer',
  createdBy: 'Created by',
  printPhoneNumber: 'Number printed on the label',
  isCompany: 'Consignee is a company',
  signatureRequired: 'Signature required',
  returnLabel: 'Return label',
}

/** What is wrong with a value; one sentence each, `field` is the label. */
export const fieldIssues = {
  required: 'Fill in: {{field}}.',
  number: '{{field}}: type a number.',
  range: '{{field}}: this value is out of range.',
  'range-weight': 'Type a weight above 0 and up to 100,000.',
  'range-numberOfPackages': 'Type 1 to 99 packages.',
  country: 'Choose a country from the list.',
  'too-long': '{{field}}: use at most 500 characters.',
  'control-character': '{{field}} holds an invisible character from the scanner: type it again.',
  day: '{{field}}: type a day as {{form}}, or as year-month-day.',
  'name-required': 'Fill in a company name, first name or last name.',
  'carrier-required': 'Choose a carrier option.',
  'cell-error':
    '{{field}} holds an error of the spreadsheet, a formula without a result, a date or a rounded number in place of the value, or a cut-off letter (\uFFFD). Enter the value.',
  'lost-zero': '{{field}}: codes of this country have five digits. A zero at the start may be missing.',
  'changed-elsewhere':
    'Another station changed this order before: what was typed at this station is not in it. Check this field.',
  'past-sheet-edge':
    '{{field}}: so many labels of this size reach past the edge of the sheet. Correct the number, a size, the margin or the gap.',
  'printer-address':
    '{{field}}: type a name or an IP address without spaces, slashes or http://, or a device below /dev/.',
  'whole-number': '{{field}}: type a whole number.',
  'at-least': '{{field}}: at least {{limit}}.',
  'at-most': '{{field}}: at most {{limit}}.',
  format: '{{field}}: {{hint}}',
  invalid: '{{field}}: this value can’t be used.',
}

/** Advice never stops a shipment. */
export const advice = {
  'empty-houseNumber': 'Most carriers want a house number.',
  'empty-postalCode': 'Most carriers want a postal code.',
  'empty-email': 'Without it the consignee gets no message.',
  'empty-phoneNumber': 'The driver can’t call without it.',
  'email-shape': 'This does not look like an e-mail address.',
  'lost-zero': 'Too short: is a zero missing?',
  above: 'Above {{limit}}, the limit the service last stated.',
  below: 'Below {{limit}}, the minimum the service last stated.',
}

export const ship = {
  title: 'Ship a parcel',
  form: 'Shipment form',
  groupOrder: 'Order',
  groupConsignee: 'Consignee',
  groupParcel: 'Parcel',
  moreFields: 'More fields',
  moreFieldsFilled: 'More fields ({{count}} filled in)',
  noCarriers: 'No carrier options yet.',
  addCarriers: 'Add them in Settings',
  noAccount: 'No account is connected, so nothing can be shipped yet.',
  connectNow: 'Connect the account',
  countryPlaceholder: 'Name or code',
  countryNothing: 'No country found',
  chooseFromList: 'Choose one from the list first',
  carrierPlaceholder: 'Choose',
  carrierById: 'Option {{option}} (carrier {{carrier}})',
  kept: 'Scanned meanwhile and kept: the reference of the next parcel.',
  dropKept: 'Drop {{code}}',
  createAndPrint: 'Create and print',
  creating: 'Creating…',
  clear: 'Clear form',
  undoClear: 'Undo clear',
  sameAddress: 'Use same address again',
  issuesSummary_one: '{{count}} field needs attention.',
  issuesSummary_other: '{{count}} fields need attention.',
  earlierCreated: 'Already shipped on {{when}}, barcode {{barcode}}.',
  earlierAt: '{{when}} at {{station}}',
  earlierUnknown: 'Sent on {{when}} and never confirmed: resolve it first.',
  earlierUnderWay: 'It is being shipped since {{when}}: wait for its outcome.',
  showEarlier: 'Show it',
  side: 'Outcome and session',
  outcome: 'Outcome',
  ready: 'Ready for the next parcel',
  readyHint: 'Scan or type the reference, fill in the rest, press F9.',
  session: 'This session',
  sessionEmpty: 'Nothing shipped since the app started.',
  limits: 'Limits of this carrier option',
  limitsUnits: 'As the service stated them; it names no units.',
  limitWeight: 'Weight',
  limitLength: 'Length',
  limitWidth: 'Width',
  limitHeight: 'Height',
  limitVolume: 'Volume',
  limitCircumference: 'Circumference',
  limitRange: '{{min}} to {{max}}',
  limitMin: 'from {{min}}',
  limitMax: 'up to {{max}}',
}

export const outcome = {
  createdFor: 'Reference {{reference}}',
  noBarcode: 'The service gave no barcode',
  refusedWithoutHsCode:
    'An item of the customs data has no HS code. The service often reports that as another error.',
  nothingShipped: 'Nothing was shipped.',
  refusedHint: 'Everything you typed is still there: correct it and press F9 again.',
  resolve: 'Resolve it',
  duplicate: 'Already shipped',
  duplicateElsewhere:
    '{{reference}} was shipped at station {{station}} ({{when}}), with these barcodes. Nothing was sent here.',
  duplicateText: 'Reference {{reference}} was shipped on {{when}}.',
  duplicateQuestion: 'Is this the same parcel? Then reprint its label. Shipping again costs money again.',
  cancelledQuestion:
    'Its label is void. Ship again if this parcel needs a new one. Shipping again costs money again.',
  reprintThat: 'Reprint that label',
  shipAgain: 'Ship again anyway',
  error: 'Not sent',
  errorUnclear: 'Something went wrong',
  reprint: 'Reprint',
  showInHistory: 'Show in History',
  labelProblem: 'Package {{position}}: {{problem}}',
  fetchLabels: 'Fetch the label again',
}

export const job = {
  package: 'Package {{position}}',
  printAgain: 'Print again',
  otherPrinter: 'Other printer',
  ofStation: 'shipment of {{station}}',
  resolvedBy: 'resolved by {{name}}',
  itWasPrinted: 'It was printed',
  itWasNotPrinted: 'It was not printed',
  cancel: 'Cancel printing',
  dismiss: 'Close…',
  dismissals: {
    'printed-elsewhere': 'printed on another printer',
    'not-needed': 'label not needed any more',
    'order-cancelled': 'order cancelled',
  },
  unconfirmedHint: 'The label may have been printed: look at the printer before printing it again.',
  savedAs: 'Saved as',
  choosePrinter: 'Choose a printer',
}

export const labelProblems: Record<LabelDefect, string> = {
  'not-fetched': 'the label could not be fetched yet. Packbench tries again by itself.',
  empty: 'the service gave an empty label. Ask the service with the SubLogID.',
  'not-stored':
    'the label’s file could not be written to the disk. Free some space: Packbench writes it by itself.',
  undecodable: 'the label can’t be decoded. Ask the service with the SubLogID.',
  'not-a-pdf': 'the label is no PDF. Ask the service with the SubLogID.',
  'type-unknown': 'this kind of label can’t be printed. Ask the service with the SubLogID.',
  'too-few':
    'fewer labels came than this shipment has packages. Ask the service for the others with the SubLogID.',
  'too-many':
    'the service sent more labels than a shipment can have, so nothing was printed. Print the right ones; the whole answer is kept in the labels folder.',
}

export const resolve = {
  title: 'Resolve this shipment',
  explain:
    'The app never learned whether the service created the shipment with reference {{reference}}. Look in the service’s own portal or ask the service, then say what you found. Until then this reference can’t be sent again.',
  exists: 'It exists',
  existsHint: 'The service knows the shipment. Type the tracking code that it shows.',
  trackingCode: 'Tracking code of the shipment',
  trackingCodeNeeded: 'Type the tracking code that the service shows.',
  saveExists: 'Save: it exists',
  notExists: 'It does not exist',
  notExistsHint: 'The service does not know the shipment. The reference becomes free and can be sent again.',
  notExistsConfirm: 'Yes, I checked: it does not exist',
  notExistsWarning: 'If it does exist after all, shipping again makes a second paid label.',
}

/** Several orders in one parcel. */
export const combine = {
  title_one: 'One more order goes to this consignee',
  title_other: '{{count}} more orders go to this consignee',
  text: 'Which of them are in the parcel of {{reference}}? Scan their numbers, or tick them. Those that are shipped together share one label, and none of them is shipped again. The others stay To ship.',
  hint: 'Space ticks, Ctrl+A ticks all, Enter answers, Esc keeps them apart.',
  weight: '{{weight}} kg',
  noFacts: 'The order says nothing about its goods.',
  together_one: 'Ship together',
  together_other: 'Ship {{count}} orders together',
  all: 'Tick all',
  apart: 'Keep apart',
  combined: 'One parcel together with {{references}}.',
  check: 'Check its weight and packages.',
  splitUp: 'Take them out',
  setting: 'Orders to the same consignee',
  ask: 'Ask about one parcel',
  never: 'Ship each by itself',
}

export const consignees = {
  title: 'Consignees',
  suggestions: 'Earlier consignees',
  hint: '↓ and Enter take one. Shift+Delete forgets the marked one.',
  setting: 'Remember consignees and suggest them on Ship',
  settingHint: 'They are kept as long as the history.',
  count_one: '{{count}} consignee is remembered.',
  count_other: '{{count}} consignees are remembered.',
  find: 'Find a consignee to forget',
  findHint: 'Name, company, address, e-mail or phone',
  forget: 'Forget',
  forgetOne: 'Forget {{name}}',
  noneFound: 'No consignee is remembered by these words.',
  forgetAll: 'Forget all consignees',
  forgetSure: 'Forget all of them',
  shipAgain: 'Ship again',
  correctAndSend: 'Correct and send',
}
