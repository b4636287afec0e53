import { maxReportDays, type ReportFigures, type ShippingReport } from '../../shared/history'
import { startOfDay, toDay, twoDigits } from '../lib/localDay'
import type { ReportedShipment } from './historyRepository'

/**
 * Counts the created shipments of a period, by the local days and hours of this station.
 * @param from first day, as `2026-11-22`
 * @param to last day; at most `maxReportDays` are counted
 */
export async function makeShippingReport(
  history: { readCreated(from: Date, before: Date): AsyncIterable<readonly ReportedShipment[]> },
  from: string,
  to: string,
): Promise<ShippingReport> {
  const listed = listDays(from, to)
  const total = newFigures()
  const groups = {
    days: new Map(listed.map((day) => [day, newFigures()])),
    hours: new Map(Array.from({ length: 24 }, (_, hour) => [twoDigits(hour), newFigures()])),
    carrierOptions: new Map<string, ReportFigures>(),
    countries: new Map<string, ReportFigures>(),
    operators: new Map<string, ReportFigures>(),
    stations: new Map<string, ReportFigures>(),
  }
  for await (const shipments of history.readCreated(startOfDay(from), startOfDay(from, listed.length))) {
    for (const { takenAt, carrierOptionId, country, operator, draft, station, count = 1 } of shipments) {
      const moment = new Date(takenAt)
      for (const figures of [
        total,
        findGroup(groups.days, toDay(moment)),
        findGroup(groups.hours, twoDigits(moment.getHours())),
        findGroup(groups.carrierOptions, String(carrierOptionId)),
        findGroup(groups.countries, country),
        findGroup(groups.operators, operator ?? ''),
        ...(station === undefined ? [] : [findGroup(groups.stations, station)]),
      ]) {
        figures.shipments += count
        figures.packages += draft.numberOfPackages
        figures.weight += draft.weight
      }
    }
  }
  return {
    from,
    to: listed.at(-1) ?? from,
    total: rounded(total),
    days: toList(groups.days),
    hours: toList(groups.hours),
    carrierOptions: byCount(toList(groups.carrierOptions)),
    countries: byCount(toList(groups.countries)),
    operators: byCount(toList(groups.operators)),
    stations: byCount(toList(groups.stations)),
  }
}

function listDays(from: string, to: string): string[] {
  const days: string[] = []
  for (let index = 0; index < maxReportDays; index += 1) {
    const day = toDay(startOfDay(from, index))
    if (index > 0 && day > to) break
    days.push(day)
  }
  return days
}

function newFigures(): ReportFigures {
  return { shipments: 0, packages: 0, weight: 0 }
}

function findGroup(groups: Map<string, ReportFigures>, name: string): ReportFigures {
  const known = groups.get(name)
  if (known !== undefined) return known
  const figures = newFigures()
  groups.set(name, figures)
  return figures
}

/** Rounds the weight to the gram, to remove the errors of adding binary fractions. */
function rounded(figures: ReportFigures): ReportFigures {
  return { ...figures, weight: Math.round(figures.weight * 1000) / 1000 }
}

function toList(groups: Map<string, ReportFigures>): (ReportFigures & { name: string })[] {
  return [...groups].map(([name, figures]) => ({ name, ...rounded(figures) }))
}

function byCount<Group extends ReportFigures>(groups: Group[]): Group[] {
  return groups.sort((one, other) => other.shipments - one.shipments)
}
