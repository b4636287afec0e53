import type { LabelRules, LossConsent, PlacementRule, ZplConsent } from '../../../shared/labels'

/**
 * What a remembered rule or consent is known by while the tab is open. One that is chosen anew meanwhile is another
 * one, and stays.
 */
export function rememberedKey(remembered: PlacementRule | ZplConsent | LossConsent): string {
  return JSON.stringify(remembered)
}

/** The rules without those that are to be forgotten. */
export function withoutForgotten(
  { placements, zplCommands, losses }: LabelRules,
  forgotten: string[],
): LabelRules {
  const gone = new Set(forgotten)
  return {
    placements: placements.filter((rule) => !gone.has(rememberedKey(rule))),
    zplCommands: zplCommands.filter((consent) => !gone.has(rememberedKey(consent))),
    losses: losses.filter((consent) => !gone.has(rememberedKey(consent))),
  }
}
