import { Button, type ButtonProps } from '@mantine/core'

interface SteadyButtonProps extends ButtonProps {
  /** Whether what it does is under way. */
  busy: boolean
  onClick: () => void
}

/** A button that does nothing while it is busy, but is not disabled: that would take the focus from the keyboard. */
export function SteadyButton({ busy, onClick, ...look }: SteadyButtonProps) {
  return (
    <Button
      {...look}
      aria-disabled={busy}
      data-disabled={busy || undefined}
      onKeyDown={(event) => {
        // A key that is held down is one press.
        if (event.repeat) event.preventDefault()
      }}
      onClick={() => {
        if (!busy) onClick()
      }}
    />
  )
}
