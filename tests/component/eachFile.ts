import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// Testing Library cleans up and sets its environment only for the first file that loads it.
Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', true)
configure({ asyncUtilTimeout: 20_000 })
afterEach(cleanup)
