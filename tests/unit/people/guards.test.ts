import { expect, it } from 'vitest'
import { methods } from '../../../src/shared/bridge'

it('guards these methods of the bridge and no others', () => {
  const guarded = Object.entries(methods).flatMap(([name, { guard }]) => {
    if (guard === 'none') return []
    return [[name, typeof guard === 'function' ? 'by its input' : guard]]
  })
  expect(Object.fromEntries(guarded)).toEqual({
    restoreStation: 'settings',
    confirmClock: 'settings',
    openDataFolder: 'settings',
    changeSettings: 'by its input',
    connectAccount: 'account',
    forgetAccount: 'account',
    setPin: 'people',
    resolveShipment: 'resolve',
    printPageElsewhere: 'by its input',
    savePlacement: 'settings',
    allowZplCommands: 'settings',
    chooseStock: 'settings',
    printDespiteLosses: 'by its input',
    forgetConsignee: 'settings',
    forgetAllConsignees: 'settings',
    openOrderFolder: 'settings',
    testFleet: 'settings',
    setFleetPassword: 'settings',
    declareStationLost: 'settings',
    joinFleetAsNewStation: 'settings',
    closeFleetConflict: 'resolve',
    testNetwork: 'settings',
    setProxyCredentials: 'settings',
    uploadManifest: 'by its input',
    resolveSubmission: 'resolve',
    removeProduct: 'settings',
    importProducts: 'settings',
    saveSenderProfile: 'settings',
    removeSenderProfile: 'settings',
  })
})
