import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readValid } from '../lib/readValid'

const boundsSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
})
/** A rectangle on the desktop, in device-independent pixels. */
export type Bounds = z.infer<typeof boundsSchema>

const placeSchema = z.object({ bounds: boundsSchema, maximised: z.boolean() })
/** Position and size of a window, and whether it is maximised. */
export type WindowPlace = z.infer<typeof placeSchema>

/** The part of a window's top edge that must be visible so that a person can drag it. */
const gripPx = { width: 120, height: 24 }

/**
 * Fits a window's last position to the current screens.
 * @param workAreas the screens without taskbars, primary screen first
 * @returns the position, cut to the size of the screen; centred on the primary screen if it would be out of sight
 */
export function fitToScreens(place: WindowPlace, workAreas: readonly Bounds[]): WindowPlace {
  const home = workAreas.find((area) => isInSight(place.bounds, area))
  const area = home ?? workAreas[0]
  if (area === undefined) return place
  const width = Math.min(place.bounds.width, area.width)
  const height = Math.min(place.bounds.height, area.height)
  const { x, y } =
    home === undefined
      ? {
          x: area.x + Math.round((area.width - width) / 2),
          y: area.y + Math.round((area.height - height) / 2),
        }
      : place.bounds
  return { bounds: { x, y, width, height }, maximised: place.maximised }
}

function isInSight({ x, y, width }: Bounds, area: Bounds): boolean {
  const inSight = Math.min(x + width, area.x + area.width) - Math.max(x, area.x)
  return inSight >= gripPx.width && y >= area.y && y + gripPx.height <= area.y + area.height
}

/** Stores position and size of the window between runs. */
export interface PlaceFile {
  /** Throws when the file is missing or no JSON. */
  read(): unknown
  write(place: WindowPlace): Promise<void>
}

/**
 * `window.json` in the data folder. The window opens before electron-store is loaded, so the file is read without it, and the first write
 * loads it.
 * @param dataFolder absolute path
 */
export function openPlaceFile(dataFolder: string): PlaceFile {
  return {
    read: () => JSON.parse(readFileSync(join(dataFolder, 'window.json'), 'utf8')),
    async write(place) {
      const { openConfigFile } = await import('./configFile')
      openConfigFile(dataFolder, 'window').write({ ...place })
    },
  }
}

/** The stored position; undefined when there is none or it can't be read. */
export function readWindowPlace(file: Pick<PlaceFile, 'read'>): WindowPlace | undefined {
  return readValid(placeSchema, () => file.read())
}

/** Stores a position. Ignores errors, such as a full disk, which leave the file unchanged. */
export async function writeWindowPlace(file: Pick<PlaceFile, 'write'>, place: WindowPlace): Promise<void> {
  await file.write(place).catch(() => undefined)
}
