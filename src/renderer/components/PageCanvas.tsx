import { useEffect, useRef } from 'react'
import type { PagePicture } from '../../shared/bridge'

interface PageCanvasProps {
  picture: PagePicture
  label: string
  className: string | undefined
}

/** Draws grey pixels on a canvas. */
export function PageCanvas({ picture, label, className }: PageCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    const grey = new Uint8Array(picture.pixels)
    const image = context.createImageData(picture.width, picture.height)
    grey.forEach((value, index) => {
      image.data.set([value, value, value, 255], index * 4)
    })
    context.putImageData(image, 0, 0)
  }, [picture])
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      width={picture.width}
      height={picture.height}
      className={className}
    />
  )
}
