import { useEffect, useRef, useState } from 'react'
import { isDialogOpen } from '../../ui/dialogs'

interface DropHandlers {
  onFiles: (files: readonly File[]) => void
  /** Receives rows of a spreadsheet; a single line is left to the field that it is pasted into. */
  onRows: (text: string) => void
}

/**
 * Accepts files dropped anywhere in the window, and rows pasted wherever the cursor is, unless a dialog is open.
 * @returns whether files are being dragged over the window
 */
export function useDroppedAndPasted(handlers: DropHandlers): boolean {
  const [isOver, setIsOver] = useState(false)
  const current = useRef(handlers)
  current.current = handlers
  useEffect(() => {
    // dragenter of the next element comes before dragleave of the previous one, so count both.
    let depth = 0
    const over = (by: number) => {
      depth = Math.max(0, depth + by)
      setIsOver(depth > 0 && !isDialogOpen())
    }
    const ending = new AbortController()
    const { signal } = ending
    document.addEventListener('dragenter', () => over(1), { signal })
    document.addEventListener('dragleave', () => over(-1), { signal })
    document.addEventListener('dragover', (event) => event.preventDefault(), { signal })
    document.addEventListener(
      'drop',
      (event) => {
        event.preventDefault()
        over(-depth)
        const files = [...(event.dataTransfer?.files ?? [])]
        if (files.length > 0 && !isDialogOpen()) current.current.onFiles(files)
      },
      { signal },
    )
    document.addEventListener(
      'paste',
      (event) => {
        const text = event.clipboardData?.getData('text/plain') ?? ''
        if (!/\n.*\S/.test(text) || isDialogOpen()) return
        event.preventDefault()
        current.current.onRows(text)
      },
      { signal },
    )
    return () => ending.abort()
  }, [])
  return isOver
}
