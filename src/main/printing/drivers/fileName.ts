/** File systems take 255 bytes; the rest is for `-99.pdf`, and for tools that copy files under longer names. */
const maxReferenceBytes = 100
const maxBarcodeBytes = 80
// Windows keeps these names for devices, whatever the extension.
const deviceName = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i
// Separators and what Windows forbids; control and format characters, which hide or turn round what a name says.
const forbidden = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * A file name, without extension, that is valid on Windows, macOS and Linux and can lead into no other folder.
 * @param reference and barcode as they came, any text
 */
export function labelFileName(reference: string, barcode: string): string {
  const parts = [clean(reference, maxReferenceBytes), clean(barcode, maxBarcodeBytes)]
  const name = parts.filter((part) => part !== '').join('-')
  if (name === '') return 'label'
  return deviceName.test(name) ? `_${name}` : name
}

function clean(text: string, maxBytes: number): string {
  const harmless = text.normalize('NFC').replace(forbidden, '_')
  // A leading dot hides a file, a leading dash is taken for a switch, Windows drops dots and spaces at the end.
  return trimEnd(cut(harmless.replace(/^[\s.-]+/u, ''), maxBytes))
}

function trimEnd(text: string): string {
  return text.replace(/[\s.]+$/u, '')
}

/** Cuts between characters, never in the middle of one. */
function cut(text: string, maxBytes: number): string {
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}
