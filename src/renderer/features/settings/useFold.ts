import { useState } from 'react'

/**
 * Whether a part of a form is unfolded, and the function that folds and unfolds it. A part with an invalid field is
 * unfolded, and stays so when the error goes with the first character of the correction.
 */
export function useFold(hasIssues: boolean, isInitiallyOpen = false): [isOpen: boolean, toggle: () => void] {
  const [isUnfolded, setUnfolded] = useState(isInitiallyOpen)
  if (hasIssues && !isUnfolded) setUnfolded(true)
  const isOpen = isUnfolded || hasIssues
  return [isOpen, () => setUnfolded(!isOpen)]
}
