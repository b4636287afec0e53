import { Button, type ButtonProps, FileButton } from '@mantine/core'
import { useRef } from 'react'

interface FileChoiceProps extends Pick<ButtonProps, 'variant' | 'disabled' | 'leftSection'> {
  /** Name of the button. */
  label: string
  /** Endings or media types, parted by commas. */
  accept: string
  onFile: (file: File) => void
}

/** A button that lets the operator choose a file. The same file may be chosen again: it may have been fixed meanwhile. */
export function FileChoice({ label, accept, onFile, ...look }: FileChoiceProps) {
  const reset = useRef<() => void>(null)
  return (
    <FileButton
      accept={accept}
      resetRef={reset}
      onChange={(file) => {
        if (file === null) return
        onFile(file)
        reset.current?.()
      }}
      inputProps={{ 'aria-label': label }}
    >
      {(props) => (
        <Button {...props} {...look}>
          {label}
        </Button>
      )}
    </FileButton>
  )
}
