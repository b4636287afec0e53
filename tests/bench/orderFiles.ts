const cities = ['Amsterdam', 'Utrecht', 'Delft', 'Groningen', 'Breda', 'Zwolle']

/** The text of a file of orders, like a web shop's export. */
export function toOrdersCsv(prefix: string, count: number): string {
  const rows = Array.from({ length: count }, (_, index) =>
    [
      ...[`${prefix}-${index}`, 'Jan', `Smit ${index % 997}`, 'Dorpsstraat', index % 300],
      ...[`${1000 + (index % 8999)} JS`, cities[index % cities.length], 'NL', `jan${index}@example.com`],
      ...[`SKU-${index % 50}`, 'Coffee beans', 1 + (index % 3)],
    ].join(';'),
  )
  const header =
    'Order number;First name;Last name;Street;House number;Postal code;City;Country;Email;SKU;Product;Quantity'
  return [header, ...rows].join('\n')
}
