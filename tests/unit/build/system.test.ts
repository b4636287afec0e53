import { describe, expect, it } from 'vitest'
import { installableNames, installCommand, listMissing } from '../../../build/system.mjs'

const debian12List = `Desired=Unknown/Install/Remove/Purge/Hold
| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend
||/ Name             Version        Architecture Description
+++-================-==============-============-=================================
ii  libgtk-3-0:amd64 3.24.38-2      amd64        GTK graphical user interface library
rc  libnss3:amd64    2:3.87.1-1     amd64        Network Security Service libraries
hi  libgbm1:amd64    22.3.6-1       amd64        generic buffer management API
un  libasound2       <none>         <none>       (no description available)
ii  xvfb             2:21.1.7-3     amd64        Virtual Framebuffer 'fake' X server
`

describe('listMissing', () => {
  it('treats a package without files, or known to dpkg only by name, as missing', () => {
    expect(listMissing(['libgtk-3-0', 'libnss3', 'libgbm1', 'libasound2', 'xvfb'], debian12List)).toEqual([
      'libnss3',
      'libasound2',
    ])
  })

  it('treats a package that dpkg does not list as missing', () => {
    expect(listMissing(['libdrm2'], debian12List)).toEqual(['libdrm2'])
  })

  it('accepts the name that Ubuntu 24.04 and Debian 13 gave a library', () => {
    const list = 'ii  libasound2t64:amd64 1.2.11-1 amd64 shared library for ALSA\n'
    expect(listMissing(['libasound2', 'libcups2'], list)).toEqual(['libcups2'])
  })
})

describe('installableNames', () => {
  it('chooses the renamed library when the package lists have it', () => {
    const policy = `libasound2t64:
  Installed: (none)
  Candidate: 1.2.11-1ubuntu0.1
  Version table:
     1.2.11-1ubuntu0.1 500
libasound2:
  Installed: (none)
  Candidate: (none)
  Version table:
libnss3:
  Installed: (none)
  Candidate: 2:3.98-1build1
`
    expect(installableNames(['libasound2', 'libnss3'], policy)).toEqual(['libasound2t64', 'libnss3'])
  })

  it('keeps the plain name when the package lists are empty', () => {
    expect(installableNames(['libcups2', 'xvfb'], '')).toEqual(['libcups2', 'xvfb'])
  })
})

describe('installCommand', () => {
  it('returns one line to copy into a shell', () => {
    expect(installCommand(['libnss3', 'xvfb'])).toBe(
      'sudo apt-get update && sudo apt-get install -y --no-install-recommends libnss3 xvfb',
    )
  })
})
