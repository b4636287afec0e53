import { z } from 'zod'

// zod builds faster parsers with `new Function`, which the content security policy reports. Schemas look at this
// setting when they are made, so this file comes before every import of one.
z.config({ jitless: true })
