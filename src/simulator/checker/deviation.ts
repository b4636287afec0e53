/** A point in which a request differs from the specification. */
export interface Deviation {
  kind:
    | 'unknownRoute'
    | 'unknownField'
    | 'missingField'
    | 'wrongType'
    | 'wrongCasing'
    | 'wrongValue'
    | 'wrongQuery'
    | 'wrongContentType'
    | 'missingHeader'
    | 'unexpectedHeader'
    | 'unexpectedBody'
    | 'notJson'
  /** The part of the request: `body.weight`, `query.DO`, `header.AUTH_USER`. Never holds a secret value. */
  where: string
  message: string
}
