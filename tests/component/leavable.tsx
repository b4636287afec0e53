import { screen } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'

/** A screen that `leaveOrReturn` leaves and opens again, as the navigation of the window does. */
export function Leavable({ children }: { children: ReactNode }) {
  const [isShown, setShown] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setShown(!isShown)}>
        Change the screen
      </button>
      {isShown ? children : null}
    </>
  )
}

/** Leaves the screen inside `Leavable`, or opens it again. */
export function leaveOrReturn(user: UserEvent): Promise<void> {
  return user.click(screen.getByRole('button', { name: 'Change the screen' }))
}

export async function leaveAndReturn(user: UserEvent): Promise<void> {
  await leaveOrReturn(user)
  await leaveOrReturn(user)
}
