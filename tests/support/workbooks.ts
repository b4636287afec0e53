import { strToU8, zipSync } from 'fflate'

const types = 'http://schemas.openxmlformats.org/package/2006/content-types'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const links = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageLinks = 'http://schemas.openxmlformats.org/package/2006/relationships'

const styles = `<styleSheet xmlns="${main}"><numFmts count="3"><numFmt numFmtId="164" formatCode="dd\\-mm\\-yyyy"/><numFmt numFmtId="165" formatCode="00000"/><numFmt formatCode="&quot;D-&quot;00000;@" numFmtId="166"/></numFmts><cellStyleXfs count="1"><xf numFmtId="165"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"><alignment/></xf><xf numFmtId="166"/></cellXfs></styleSheet>`

/** A text cell of a sheet's XML. */
export function textCell(place: string, text: string): string {
  return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`
}

/**
 * An XLSX file from the XML of a sheet, with content that other programs write but our library does not: formulas, errors,
 * merged cells. Style 1 is a date, styles 2 and 3 are numbers of at least five digits.
 * @param rows the content of `sheetData`
 * @param merged blocks of merged cells, e.g. `A2:A3`
 */
export function toWorkbook(rows: string, merged: readonly string[] = []): Buffer {
  const blocks = merged.map((block) => `<mergeCell ref="${block}"/>`).join('')
  const mergeCells = blocks === '' ? '' : `<mergeCells count="${merged.length}">${blocks}</mergeCells>`
  // Most programs declare this prefix in each sheet.
  const opening = `<worksheet xmlns="${main}" xmlns:r="${links}">`
  const notes = `${opening}<sheetData><row r="1">${textCell('A1', 'Notes')}</row></sheetData></worksheet>`
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${types}"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${packageLinks}"><Relationship Id="rId1" Type="${links}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    // The first sheet is in the second file: the order of sheets differs from the file names.
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${links}"><sheets><sheet name="Lines" sheetId="7" r:id="rId2"/><sheet name="Notes" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageLinks}"><Relationship Id="rId1" Type="${links}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${links}/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="${links}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': styles,
    'xl/worksheets/sheet1.xml': notes,
    'xl/worksheets/sheet2.xml': `${opening}<sheetData>${rows}</sheetData>${mergeCells}</worksheet>`,
  }
  const files = Object.entries(parts).map(([name, xml]) => [name, strToU8(`<?xml version="1.0"?>${xml}`)])
  return Buffer.from(zipSync(Object.fromEntries(files)))
}
