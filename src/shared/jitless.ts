import { z } from 'zod'

// zod compiles parsers with `new Function`, which the content security policy blocks and reports. Schemas read this
// setting when they are created, so this file must be imported before any schema.
z.config({ jitless: true })
