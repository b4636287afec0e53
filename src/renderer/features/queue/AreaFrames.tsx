import { type PointerEvent, useRef, useState } from 'react'
import type { Area, BoxMm, SizeMm } from '../../../shared/labels'
import type { PagePicture } from '../../../shared/printing'
import { PictureCanvas } from '../../ui/PictureCanvas'
import styles from './queue.module.css'

interface AreaFramesProps {
  picture: PagePicture
  page: SizeMm
  areas: readonly Area[]
  /** Areas whose content would be lost. */
  lost: readonly Area[]
  label: string
  onMove: (areas: Area[]) => void
}

/** A page with a frame around each printed area. Frames can be dragged; the fields beside them allow exact values. */
export function AreaFrames({ picture, page, areas, lost, label, onMove }: AreaFramesProps) {
  const box = useRef<HTMLDivElement>(null)
  const [held, setHeld] = useState<{ index: number; x: number; y: number; from: Area } | null>(null)
  const numbered = areas.map((area, index) => ({ area, index }))
  const drag = (event: PointerEvent) => {
    const width = box.current?.clientWidth
    if (!held || !width) return
    const perPixel = page.widthMm / width
    const moved = {
      ...held.from,
      xMm: clampToHalfMm(
        held.from.xMm + (event.clientX - held.x) * perPixel,
        page.widthMm - held.from.widthMm,
      ),
      yMm: clampToHalfMm(
        held.from.yMm + (event.clientY - held.y) * perPixel,
        page.heightMm - held.from.heightMm,
      ),
    }
    onMove(areas.map((area, index) => (index === held.index ? moved : area)))
  }
  return (
    <div ref={box} className={styles.frames} onPointerMove={drag} onPointerUp={() => setHeld(null)}>
      <PictureCanvas picture={picture} label={label} className={styles.page} />
      {lost.map((area) => (
        <div key={JSON.stringify(area)} className={styles.lost} style={toFrameStyle(area, page)} />
      ))}
      {numbered.map(({ area, index }) => (
        <div
          key={index}
          className={styles.frame}
          style={toFrameStyle(area, page)}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            setHeld({ index, x: event.clientX, y: event.clientY, from: area })
          }}
        >
          {index + 1}
        </div>
      ))}
    </div>
  )
}

/** The position of a box in percent of its page; parts outside the page are cut off. */
export function toFrameStyle({ xMm, yMm, widthMm, heightMm }: BoxMm, page: SizeMm) {
  const left = clampToPage(xMm / page.widthMm)
  const top = clampToPage(yMm / page.heightMm)
  return {
    left: `${left * 100}%`,
    top: `${top * 100}%`,
    width: `${(clampToPage((xMm + widthMm) / page.widthMm) - left) * 100}%`,
    height: `${(clampToPage((yMm + heightMm) / page.heightMm) - top) * 100}%`,
  }
}

function clampToPage(share: number): number {
  return Math.max(0, Math.min(1, share))
}

function clampToHalfMm(value: number, max: number): number {
  return Math.round(Math.max(0, Math.min(max, value)) * 2) / 2
}
