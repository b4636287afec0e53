import { describe, expect, it } from 'vitest'
import { binaryName, installerEnvironment, whyInstallerFailed } from '../../../build/officialElectron.mjs'

describe('the official Electron', () => {
  it('has the file name of its platform', () => {
    expect(binaryName('linux')).toBe('electron')
    expect(binaryName('win32')).toBe('electron.exe')
    expect(binaryName('darwin')).toMatch(/^Electron\.app.Contents.MacOS.Electron$/)
  })

  it('is downloaded through a configured proxy, and without the override of its folder', () => {
    const env = installerEnvironment(
      { HTTPS_PROXY: 'http://proxy:8080', ELECTRON_OVERRIDE_DIST_PATH: '/x', ELECTRON_MIRROR: 'https://m/' },
      '/t',
    )
    expect(env).toMatchObject({ ELECTRON_GET_USE_PROXY: 'true', ELECTRON_MIRROR: 'https://m/', TMPDIR: '/t' })
    expect(env).not.toHaveProperty('ELECTRON_OVERRIDE_DIST_PATH')
    expect(installerEnvironment({}, '/t')).not.toHaveProperty('ELECTRON_GET_USE_PROXY')
  })

  it('gives the reason why its installer failed', () => {
    expect(whyInstallerFailed(124, '')).toBe('its server did not answer in time')
    expect(whyInstallerFailed(1, 'x\nTypeError: fetch failed\n    at y')).toBe('TypeError: fetch failed')
    expect(whyInstallerFailed(3, '')).toBe('the installer ended with code 3')
  })
})
