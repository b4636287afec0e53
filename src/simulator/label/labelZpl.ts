import { countryName, DEMO_NOTICE, type LabelContent, readableBarcode } from './labelContent'

/** Caret and tilde begin commands in ZPL and cannot stand in a field. */
function fieldText(text: string): string {
  return text.replace(/[\^~\p{Cc}]/gu, ' ')
}

function textField(x: number, y: number, height: number, text: string): string {
  return `^FO${x},${y}^A0N,${height},${height}^FD${fieldText(text)}^FS`
}

/** Writes a label as ZPL for a 203 dpi printer with 100x150 mm stock (800x1200 dots), text in UTF-8. */
export function renderLabelZpl(label: LabelContent): string {
  const town = `${label.consigneePostalCode}  ${label.consigneeCity}`
  return [
    '^XA^CI28^PW800^LL1200^LH0,0',
    textField(32, 40, 44, `${label.carrierName} ${label.serviceName}`),
    '^FO32,100^GB736,4,4^FS',
    textField(32, 130, 28, label.sender.join(', ')),
    textField(32, 210, 40, label.consigneeCompany),
    textField(32, 260, 40, label.consigneeName),
    textField(32, 310, 40, label.consigneeStreet),
    textField(32, 370, 52, town),
    textField(32, 435, 40, countryName(label.consigneeCountry).toUpperCase()),
    '^FO32,500^GB736,4,4^FS',
    textField(32, 525, 36, `Ref. ${label.reference}`),
    textField(560, 525, 36, `${label.packageNumber} / ${label.packageCount}`),
    `^FO66,640^BY4^BCN,300,N,N,N,A^FD${fieldText(label.barcode)}^FS`,
    textField(66, 970, 44, readableBarcode(label.barcode)),
    textField(32, 1110, 48, DEMO_NOTICE),
    '^XZ',
    '',
  ].join('\n')
}
