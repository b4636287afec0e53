import { useEffect, useRef } from 'react'
import type { PagePicture } from '../../shared/printing'

/** Draws a greyscale picture on a canvas of the same size. */
export function putPicture(context: CanvasRenderingContext2D, picture: PagePicture): void {
  const grey = new Uint8Array(picture.pixels)
  const image = context.createImageData(picture.width, picture.height)
  const colours = new Uint32Array(image.data.buffer)
  grey.forEach((value, index) => {
    colours[index] = 0xff000000 | (value << 16) | (value << 8) | value
  })
  context.putImageData(image, 0, 0)
}

interface PictureCanvasProps {
  picture: PagePicture
  label: string
  className?: string | undefined
  /** Width on the screen in pixels; set by CSS if omitted. */
  width?: number | undefined
}

export function PictureCanvas({ picture, label, className, width }: PictureCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context) putPicture(context, picture)
  }, [picture])
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      width={picture.width}
      height={picture.height}
      className={className}
      style={width === undefined ? undefined : { width }}
    />
  )
}
