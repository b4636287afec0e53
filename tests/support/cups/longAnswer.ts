import { encodeIpp, groupTag, type IppAttribute } from '../../../src/main/printing/cups/ipp'

/** An IPP response about one printer, in which the attribute's value is repeated `times` times. */
export function longAnswer(attribute: IppAttribute, times: number): Buffer {
  const toAnswer = (attributes: IppAttribute[]) =>
    encodeIpp({
      ...{ code: 0, requestId: 1, data: Buffer.alloc(0) },
      groups: [{ tag: groupTag.printer, attributes }],
    })
  const once = toAnswer([attribute])
  // The end of the attributes is one byte.
  const end = once.length - 1
  // In IPP a further value of an attribute has an empty name.
  const again = toAnswer([attribute, { ...attribute, name: '' }]).subarray(end, -1)
  return Buffer.concat([
    once.subarray(0, end),
    ...Array.from({ length: times - 1 }, () => again),
    once.subarray(end),
  ])
}
