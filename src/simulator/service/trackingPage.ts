import type { TrackingEvent } from './trackingStory'

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The page that a shipment's `trace` opens in a browser: the parcel's events, newest first. */
export function trackingPage(barcode: string, events: readonly TrackingEvent[]): string {
  const rows = events.map(
    (event) =>
      `<tr><td>${escapeHtml(String(event.dateTime))}</td><td>${escapeHtml(event.description)}</td></tr>`,
  )
  const content = rows.length === 0 ? '<p>This barcode is not known.</p>' : `<table>${rows.join('')}</table>`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Parcel ${escapeHtml(barcode)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem}td{padding:.25rem 1.5rem .25rem 0}</style></head>
<body><h1>Parcel ${escapeHtml(barcode)}</h1>${content}<p>Demo: this parcel does not exist.</p></body>
</html>
`
}
