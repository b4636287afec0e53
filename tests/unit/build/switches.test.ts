import { describe, expect, it } from 'vitest'
import { switchesFor } from '../../../build/switches.mjs'

describe('switchesFor', () => {
  const user = { platform: 'linux', root: false, sandboxWorks: true, env: { DISPLAY: ':0' } } as const

  it('adds nothing for an ordinary user', () => {
    expect(switchesFor(user)).toEqual({ switches: [], notices: [] })
  })

  it('disables the sandbox for root, with a notice', () => {
    const { switches, notices } = switchesFor({ ...user, root: true })
    expect(switches).toEqual(['--no-sandbox'])
    expect(notices).toEqual([expect.stringContaining('as root')])
  })

  it('disables the sandbox where none can be created, with a notice', () => {
    const { switches, notices } = switchesFor({ ...user, sandboxWorks: false })
    expect(switches).toEqual(['--no-sandbox'])
    expect(notices).toHaveLength(1)
  })

  it('asks for Wayland where that is the only display', () => {
    expect(switchesFor({ ...user, env: { WAYLAND_DISPLAY: 'wayland-0' } }).switches).toEqual([
      '--ozone-platform-hint=auto',
    ])
  })

  it('never touches the sandbox of other platforms', () => {
    expect(switchesFor({ ...user, platform: 'darwin', root: true, env: {} }).switches).toEqual([])
  })
})
