import type { HandlersOf } from '../../shared/bridge'
import type { peopleMethods } from '../../shared/people'
import { ok } from '../../shared/result'
import type { People } from './people'

/** The handlers of people. */
export function createPeopleHandlers(people: People): HandlersOf<typeof peopleMethods> {
  return {
    getPeople: () => ok(people.status()),
    signIn: (by) => people.signIn(by),
    signOut: () => ok(people.signOut()),
    enterPin: ({ pin }) => people.enterPin(pin),
    endGrant: () => ok(people.endGrant()),
    setPin: ({ pin }) => people.setPin(pin),
  }
}
