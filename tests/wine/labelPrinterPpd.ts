/** A paper of a driver, in millimetres, upright. */
export interface PpdPaper {
  key: string
  name: string
  widthMm: number
  heightMm: number
}

const pointsPerMm = 72 / 25.4
const toPoints = (mm: number) => (mm * pointsPerMm).toFixed(2)

/** The description (PPD) of a label printer whose head has `dpi` dots an inch, as Wine's PostScript driver reads it; CUPS makes PWG raster for it. */
export function labelPrinterPpd(dpi: number, papers: readonly PpdPaper[]): string {
  const [first] = papers
  const each = (line: (paper: PpdPaper) => string) => papers.map(line).join('\n')
  const size = ({ widthMm, heightMm }: PpdPaper) => `${toPoints(widthMm)} ${toPoints(heightMm)}`
  const chosen = (keyword: string) => `*OpenUI *${keyword}: PickOne
*OrderDependency: 10 AnySetup *${keyword}
*Default${keyword}: ${first?.key}
${each((paper) => `*${keyword} ${paper.key}/${paper.name}: "<</PageSize[${size(paper)}]/ImagingBBox null>>setpagedevice"`)}
*CloseUI: *${keyword}`
  return `*PPD-Adobe: "4.3"
*FormatVersion: "4.3"
*FileVersion: "1.0"
*LanguageVersion: English
*LanguageEncoding: ISOLatin1
*PCFileName: "LABEL.PPD"
*Manufacturer: "Packbench"
*Product: "(Pretended label printer)"
*ModelName: "Pretended label printer"
*ShortNickName: "Pretended label printer"
*NickName: "Pretended label printer"
*PSVersion: "(3010.000) 0"
*LanguageLevel: "3"
*ColorDevice: False
*DefaultColorSpace: Gray
*FileSystem: False
*LandscapeOrientation: Plus90
*TTRasterizer: Type42
*cupsVersion: 2.4
*cupsFilter2: "image/pwg-raster image/pwg-raster 0 -"
${chosen('PageSize')}
${chosen('PageRegion')}
*DefaultImageableArea: ${first?.key}
${each((paper) => `*ImageableArea ${paper.key}/${paper.name}: "0 0 ${size(paper)}"`)}
*DefaultPaperDimension: ${first?.key}
${each((paper) => `*PaperDimension ${paper.key}/${paper.name}: "${size(paper)}"`)}
*OpenUI *Resolution/Resolution: PickOne
*OrderDependency: 10 AnySetup *Resolution
*DefaultResolution: ${dpi}x${dpi}dpi
*Resolution ${dpi}x${dpi}dpi/${dpi} dpi: "<</HWResolution[${dpi} ${dpi}]>>setpagedevice"
*CloseUI: *Resolution
*OpenUI *ColorModel/Colour: PickOne
*OrderDependency: 10 AnySetup *ColorModel
*DefaultColorModel: Gray
*ColorModel Gray/Grey: "<</cupsColorSpace 18/cupsBitsPerColor 8/cupsColorOrder 0/cupsCompression 0/ProcessColorModel /DeviceGray>>setpagedevice"
*CloseUI: *ColorModel
*DefaultFont: Courier
*Font Courier: Standard "(002.004S)" Standard ROM
*% End
`
}
