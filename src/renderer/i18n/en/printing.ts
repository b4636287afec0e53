/** The queue, and what is asked and shown about labels on their way. */
export const queue = {
  title: 'Print queue',
  count_one: '{{count}} job not through',
  count_other: '{{count}} jobs not through',
  printers: 'Printers',
  noPrinters: 'No printer is set up yet.',
  addPrinter: 'Add one in Settings',
  pause: 'Pause',
  resume: 'Resume',
  reprintLast: 'Reprint last',
  pauseOf: 'Pause {{printer}}',
  resumeOf: 'Resume {{printer}}',
  reprintLastOf: 'Reprint last label of {{printer}}',
  ready: 'Ready',
  busy: 'Printing',
  trouble: 'Needs attention',
  unknown: 'State not known',
  paused: 'Paused',
  waiting_one: '{{count}} job waits',
  waiting_other: '{{count}} jobs wait',
  jobsOf: 'Jobs of {{printer}}',
  openJobs: 'Not through',
  through: 'Through',
  nothing: 'Nothing waits',
  nothingHint: 'Labels show here from the moment they are stored until a printer has them.',
  showThrough: 'Show jobs that are through',
  preview: 'Preview',
  previewOf: 'Preview the label of {{reference}}',
  pages: 'pages {{from}} to {{to}}',
  scanned: 'scanned and right',
  choose: 'Choose what is printed',
  allow: 'Allow these commands',
  move: 'Move',
  show: 'Show in History',
}

export const placement = {
  title: 'Which part of the page is the label?',
  explain:
    'Page {{page}} is {{pageSize}}, the labels in {{printer}} are {{stockSize}}. Choose once; it holds for every such page of this carrier option.',
  suggestions: 'Suggestions',
  suggestion: 'Suggestion {{number}}',
  left: 'From the left (mm)',
  top: 'From the top (mm)',
  width: 'Width (mm)',
  height: 'Height (mm)',
  turn: 'Turn',
  scale: 'Size (%)',
  scaleHint: '100 prints in size. Other sizes can make barcodes unreadable.',
  label: 'Label {{number}}',
  labels: 'Labels on this page, in the order of printing',
  add: 'Add a label of this page',
  remove: 'Remove the last one',
  page: 'The page, with the chosen parts framed',
  result: 'As it will be printed',
  resultNumber: 'Printed label {{number}}',
  tooLarge: 'This part does not fit on the label.',
  save: 'Remember and print',
}

export const printPreview = {
  title: 'As {{printer}} will print it',
  zoom: 'Zoom',
  fit: 'Whole label',
  dots: 'Dot for dot',
  large: 'Twice the dots',
  pageOf: 'Label {{page}} of {{pages}}',
  previous: 'Previous label',
  next: 'Next label',
  picture: 'Printed label {{page}} of {{pages}}',
  text: 'This label is ZPL: the printer draws it itself.',
  from: 'From page',
  to: 'To page',
  reprintPages: 'Print these pages again',
}

export const scan = {
  title: 'Scan the printed label',
  field: 'Scanned code',
  check: 'Check',
  right: 'This is the right label.',
  wrongTitle: 'STOP: this is another label',
  wrongText:
    'Scanned: {{scanned}}. It should be: {{expected}}. Put the parcel aside and look which label is on it.',
  understood: 'I have the right label now',
  setting: 'Operators scan each label after printing',
  settingHint: 'Only then is a job called printed for certain.',
}

export const printerTools = {
  check: 'Test the connection',
  testLabel: 'Print a test label',
  saveFirst: 'Save the printer first, then print a test label.',
  speed: 'Speed (1–14 in/s)',
  speedHint: 'Empty: as set on the printer',
  greys: 'Greys',
  threshold: 'Sharp (barcodes)',
  dither: 'Dots (photos)',
}

/** How scanned codes are compared where they are not the same. */
export const scanRules = {
  group: 'Scanning printed labels',
  title: 'Matching rules',
  intro:
    'A scanned code must be the same as the barcode of the shipment. Add a rule for a carrier option whose labels show it differently.',
  noCarriers: 'Name the carrier options first, then add matching rules for them.',
  add: 'Add matching rule',
  remove: 'Remove matching rule {{row}}',
  repeated: 'This carrier option already has a rule: change that one.',
  kind: 'Match, rule {{row}}',
  kinds: {
    prefix: 'Same after a prefix',
    length: 'First signs are the same',
    part: 'One is part of the other',
  },
  prefix: 'Prefix, rule {{row}}',
  length: 'Number of signs, rule {{row}}',
  part: 'Least signs, rule {{row}}',
}

/** What was decided once about labels. */
export const remembered = {
  title: 'Remembered about labels',
  intro: 'Chosen once and not asked again. Remove a line to be asked at the next such label.',
  none: 'Nothing is remembered yet. Choices made in the Queue show here.',
  carrier: 'Carrier option',
  subject: 'Labels',
  done: 'What is done',
  option: 'Option {{id}}',
  pageOnStock: 'Page {{page}} on stock {{stock}}',
  printed: 'Prints {{parts}}',
  zpl: 'ZPL that reconfigures the printer',
  allowed: 'Sends {{commands}}',
  remove: 'Forget: {{carrier}}, {{subject}}',
}
