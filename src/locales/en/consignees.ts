export const consignees = {
  title: 'Consignees',
  suggestions: 'Earlier consignees',
  hint: '↓ and Enter take one. Shift+Delete forgets the marked one.',
  setting: 'Remember consignees and suggest them on Ship',
  settingHint: 'They are kept as long as the history.',
  count_one: '{{count}} consignee is remembered.',
  count_other: '{{count}} consignees are remembered.',
  forgetAll: 'Forget all consignees',
  forgetSure: 'Forget all of them',
  shipAgain: 'Ship again',
  correctAndSend: 'Correct and send',
}
