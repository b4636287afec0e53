import { type PointerEvent, useRef, useState } from 'react'
import type { Area, SizeMm } from '../../../shared/labels'
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
        <div key={JSON.stringify(area)} className={styles.lost} style={getPlace(area, page)} />
      ))}
      {numbered.map(({ area, index }) => (
        <div
          key={index}
          className={styles.frame}
          style={getPlace(area, page)}
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

function getPlace({ xMm, yMm, widthMm, heightMm }: Area, page: SizeMm) {
  return {
    left: percent(xMm, page.widthMm),
    top: percent(yMm, page.heightMm),
    width: percent(widthMm, page.widthMm),
    height: percent(heightMm, page.heightMm),
  }
}

function clampToHalfMm(value: number, most: number): number {
  return Math.round(Math.max(0, Math.min(most, value)) * 2) / 2
}

function percent(part: number, whole: number): string {
  return `${(part / whole) * 100}%`
}
