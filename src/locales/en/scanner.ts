/** Scans wherever the cursor is, and how the scanner is set up. */
export const scanner = {
  notices: {
    unknown: '{{code}} is no order, label or product of this station. Nothing was changed.',
    right: '{{code}} is the right label.',
  },
  group: 'Barcode scanner',
  intro: 'A scan is told apart from typing by its speed. Leave these as they are unless scans are missed.',
  prefix: 'Sent before each code',
  prefixHint: 'With it, only what begins so is a scan.',
  suffix: 'Sent after each code, before Enter or Tab',
  affixIssue: 'Use up to 20 letters, digits and signs without blanks.',
  maxGap: 'Longest time between two signs (ms)',
  minLength: 'Fewest signs of a scan',
  badgePrefix: 'Operators’ badges begin with',
}
