import { Button, type ButtonProps } from '@mantine/core'

interface BusyButtonProps extends ButtonProps {
  busy: boolean
  onClick: () => void
}

/**
 * A button that ignores presses while it is busy. It is not disabled, since that would take away the keyboard focus.
 */
export function BusyButton({ busy, onClick, ...look }: BusyButtonProps) {
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
