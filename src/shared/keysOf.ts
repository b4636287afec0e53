/** The keys of a table, in its order. */
export function keysOf<Table extends object>(table: Table): (keyof Table & string)[] {
  const isKey = (key: string): key is keyof Table & string => Object.hasOwn(table, key)
  return Object.keys(table).filter(isKey)
}
