/** Packbench's logo: a parcel on a bench. */
export function Logo() {
  return (
    <svg viewBox="0 0 40 40" width="40" height="40" aria-hidden="true" focusable="false">
      <path d="M8 7h24v18H8z" fill="var(--pb-kraft)" />
      <path d="M17.5 7h5v8l-2.5-2-2.5 2z" fill="#0e2b31" />
      <path d="M3 27h34v4H3z" fill="#f4f1ea" />
      <path d="M7 31h4v6H7zM29 31h4v6h-4z" fill="#f4f1ea" />
    </svg>
  )
}
