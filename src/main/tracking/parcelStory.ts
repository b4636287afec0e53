import { z } from 'zod'
import { type TrackedCode, trackedCodeSchema, trackingEventSchema } from '../../shared/tracking'

const storyColumn = z.object({
  events: z.array(trackingEventSchema),
  flights: trackedCodeSchema.shape.flights,
})

/** The timeline of a parcel in the column that holds it. */
export function readStory(column: string): z.infer<typeof storyColumn> {
  return storyColumn.parse(JSON.parse(column))
}

/** The column for a parcel's timeline: the same timeline gives the same text. */
export function writeStory({ events, flights }: Pick<TrackedCode, 'events' | 'flights'>): string {
  return JSON.stringify({ events, flights })
}
