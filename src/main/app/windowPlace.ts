import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const boundsSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
})
/** A rectangle on the desktop, in pixels that the system's scaling has been taken out of. */
export type Bounds = z.infer<typeof boundsSchema>

const placeSchema = z.object({ bounds: boundsSchema, maximised: z.boolean() })
/** Where a window stands: its own size and place, and whether it fills the screen for now. */
export type WindowPlace = z.infer<typeof placeSchema>

/** So much of a window's top edge must be in sight for a person to get hold of it. */
const gripPx = { width: 120, height: 24 }

/**
 * Where a window is opened that stood at a place when it was closed.
 * @param workAreas the screens of now, without taskbars, the main one first
 * @returns its place, cut to the size of the screen; the middle of the main screen when it would be out of sight there
 */
export function placeInSight(place: WindowPlace, workAreas: readonly Bounds[]): WindowPlace {
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
 * `window.json` of the data folder. The window opens before the library that writes settings files is loaded, so it is loaded by the first
 * write, and read without it.
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

/** The stored place; undefined when there is none that can be read. */
export function readWindowPlace(file: Pick<PlaceFile, 'read'>): WindowPlace | undefined {
  try {
    return placeSchema.safeParse(file.read()).data
  } catch {
    return undefined
  }
}

/** Stores a place. Never rejects: a full disk leaves the file as it was, and the next window opens where an earlier one was. */
export async function writeWindowPlace(file: Pick<PlaceFile, 'write'>, place: WindowPlace): Promise<void> {
  await file.write(place).catch(() => undefined)
}
