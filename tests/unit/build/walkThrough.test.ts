import { describe, expect, it } from 'vitest'
import { findStartFailure } from '../../../build/walkThrough.mjs'

describe('findStartFailure', () => {
  it('returns Electron’s last fatal message', () => {
    const report = `electron.launch: Process failed to launch!
Call log:
  - [pid=7][err] [7:1121/094613.23:ERROR:bus.cc(407)] Failed to connect to the bus
  - [pid=7][err] [7:1121/094613.24:FATAL:shared_memory.cc(219)] Try 'sudo chmod 1777 /dev/shm' to fix.
  - [pid=7] <process did exit: exitCode=null, signal=SIGTRAP>`
    expect(findStartFailure(report)).toMatch(/^FATAL.*Try 'sudo chmod 1777 \/dev\/shm' to fix\.$/)
  })

  it('returns the first line of the report when Electron wrote no message', () => {
    expect(findStartFailure('electron.launch: Timeout 30000ms exceeded.\nCall log:')).toBe(
      'electron.launch: Timeout 30000ms exceeded.',
    )
  })
})
