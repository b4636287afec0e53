import { Button, type ButtonProps } from '@mantine/core'

interface SteadyButtonProps extends ButtonProps {
  busy: boolean
  onClick: () => void
}

/**
 * A button that ignores presses while it is busy. It is not disabled, since that would take away the keyboard focus.
 */
export function SteadyButton({ busy, onClick, ...look }: SteadyButtonProps) {
  return (
    <Button
      {...look}
      aria-disabled={busy}
      data-disabled={busy || undefined}
      onKeyDown={(event) => {
        // A key that is held down counts as one press.
        if (event.repeat) event.preventDefault()
      }}
      onClick={() => {
        if (!busy) onClick()
      }}
    />
  )
}
