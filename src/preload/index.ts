import { contextBridge, ipcRenderer } from 'electron'
import { createClient } from './client'

contextBridge.exposeInMainWorld('packbench', createClient(ipcRenderer))
