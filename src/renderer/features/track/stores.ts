import { followAnswer } from '../../bridge'
import { useNavigation } from '../../ui/navigation'
import { storeHook } from '../../ui/storeHook'
import { createBulkStore } from './bulkStore'
import { createTrackStore } from './trackStore'

export const useTrack = storeHook((client) => {
  const track = createTrackStore(window.packbench)
  const navigation = useNavigation.of(client)
  const lookUpAsked = () => {
    const { asked } = navigation.getState()
    if (asked) void track.getState().lookUp(asked.code)
  }
  followAnswer(client, 'getSettings', ({ language }) => track.getState().setOptions({ language }))
  lookUpAsked()
  navigation.subscribe((state, before) => {
    if (state.asked !== before.asked) lookUpAsked()
  })
  return track
})

export const useBulk = storeHook(() => {
  const bulk = createBulkStore(window.packbench)
  window.packbench.on('bulkTrackingProgressed', (progress) => bulk.getState().applyProgress(progress))
  return bulk
})
