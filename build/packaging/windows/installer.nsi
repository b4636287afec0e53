; The Windows installer: for the whole computer, silent with /S. windows.mjs compiles it and says what stands in ${…}:
; APP (the unpacked app), OUTPUT, VERSION, ICON, REMOVAL (what an uninstaller removes), and SIGN (a command) where there is a certificate.
Unicode true
ManifestDPIAware true
; SECURITY: below Program Files no user can change what all of them start.
RequestExecutionLevel admin
SetCompressor /SOLID lzma
AllowSkipFiles off

Name "Packbench"
OutFile "${OUTPUT}"
BrandingText "Packbench ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "Packbench"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "Packbench Setup"
VIAddVersionKey LegalCopyright "The Packbench authors, MIT licence"
!ifdef SIGN
  !uninstfinalize '${SIGN} "%1"' = 0
  !finalize '${SIGN} "%1"' = 0
!endif

!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include Sections.nsh
!include WinVer.nsh
!include x64.nsh
!include Win\COM.nsh
!include Win\Propkey.nsh
!include "${REMOVAL}"

!define APP_ID "app.packbench.station"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Packbench"
!define RUN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"
!define PROFILES_KEY "Software\Microsoft\Windows NT\CurrentVersion\ProfileList"
!define SHORTCUT "$SMPROGRAMS\Packbench.lnk"
; Exit codes beside those of NSIS: 1 cancelled, 2 not done.
!define EXIT_RUNNING 3
!define EXIT_WRONG_SWITCH 4
; How long an app that is ending may take, in half seconds.
!define MAX_WAITS 60

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_COMPONENTSPAGE_NODESC
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_FUNCTION StartForUser
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!insertmacro MUI_LANGUAGE Dutch

LangString APP_NAME ${LANG_ENGLISH} "Packbench"
LangString APP_NAME ${LANG_DUTCH} "Packbench"
LangString AUTOSTART ${LANG_ENGLISH} "Start with the computer, hidden, for all users"
LangString AUTOSTART ${LANG_DUTCH} "Met de computer starten, verborgen, voor alle gebruikers"
LangString DATA ${LANG_ENGLISH} "Also remove all users' data: history, labels, settings"
LangString DATA ${LANG_DUTCH} "Ook de gegevens van alle gebruikers verwijderen: geschiedenis, labels, instellingen"
LangString RUNNING ${LANG_ENGLISH} "Packbench is running, and a label may be on its way. End it for every user of this computer, then try again. Nothing was changed."
LangString RUNNING ${LANG_DUTCH} "Packbench is actief, en er kan een label onderweg zijn. Sluit het voor elke gebruiker van deze computer en probeer het opnieuw. Er is niets gewijzigd."
LangString WRONG_SYSTEM ${LANG_ENGLISH} "Packbench needs a 64-bit Windows 10 or later. Nothing was changed."
LangString WRONG_SYSTEM ${LANG_DUTCH} "Packbench heeft een 64-bits Windows 10 of later nodig. Er is niets gewijzigd."
LangString WRONG_SWITCH ${LANG_ENGLISH} "/AUTOSTART= takes hidden or off. Nothing was changed."
LangString WRONG_SWITCH ${LANG_DUTCH} "Na /AUTOSTART= hoort hidden of off. Er is niets gewijzigd."
LangString NOT_REMOVED ${LANG_ENGLISH} "The version before could not be removed. Start the computer anew, then try again."
LangString NOT_REMOVED ${LANG_DUTCH} "De vorige versie kon niet worden verwijderd. Start de computer opnieuw op en probeer het nog eens."

; Never ends a running app by force: it is the person's, or the update's, to end it. Windows lets nobody write to a program that runs.
!macro RefuseWhileRunning un
  Function ${un}RefuseWhileRunning
    StrCpy $1 0
    ${Do}
      ${IfNot} ${FileExists} "$INSTDIR\Packbench.exe"
        Return
      ${EndIf}
      ClearErrors
      FileOpen $0 "$INSTDIR\Packbench.exe" a
      ${IfNot} ${Errors}
        FileClose $0
        Return
      ${EndIf}
      ${If} $1 < ${MAX_WAITS}
        IntOp $1 $1 + 1
        Sleep 500
      ${ElseIf} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDCANCEL IDCANCEL`
        SetErrorLevel ${EXIT_RUNNING}
        Quit
      ${EndIf}
    ${Loop}
  FunctionEnd
!macroend
!insertmacro RefuseWhileRunning ""
!insertmacro RefuseWhileRunning "un."

Section "$(APP_NAME)"
  SectionIn RO
  Call RefuseWhileRunning
  ; What the version before has put here. Data lie elsewhere; shortcut and start with the computer stay.
  ${If} ${FileExists} "$INSTDIR\Uninstall.exe"
    ExecWait '"$INSTDIR\Uninstall.exe" /S /UPDATE _?=$INSTDIR' $0
    ${If} $0 <> 0
      MessageBox MB_OK|MB_ICONSTOP "$(NOT_REMOVED)" /SD IDOK
      SetErrorLevel 2
      Quit
    ${EndIf}
  ${EndIf}
  SetOutPath "$INSTDIR"
  File /r "${APP}"
  WriteUninstaller "$INSTDIR\Uninstall.exe"
  CreateShortcut "${SHORTCUT}" "$INSTDIR\Packbench.exe"
  Call NameShortcut
  WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayName" "Packbench"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "Publisher" "The Packbench authors"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\Packbench.exe"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\Uninstall.exe"'
  WriteRegStr HKLM "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\Uninstall.exe" /S'
  WriteRegDWORD HKLM "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKLM "${UNINSTALL_KEY}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKLM "${UNINSTALL_KEY}" "EstimatedSize" "$0"
SectionEnd

Section /o "$(AUTOSTART)" AutostartSection
SectionEnd

Section
  ${If} ${SectionIsSelected} ${AutostartSection}
    WriteRegStr HKLM "${RUN_KEY}" "Packbench" '"$INSTDIR\Packbench.exe" --hidden'
  ${Else}
    DeleteRegValue HKLM "${RUN_KEY}" "Packbench"
  ${EndIf}
SectionEnd

!macro UseWholeComputer
  SetShellVarContext all
  ${If} ${RunningX64}
    SetRegView 64
  ${EndIf}
  StrCpy $INSTDIR "$PROGRAMFILES64\Packbench"
!macroend

Function .onInit
  !ifndef ANY_WINDOWS
    ${IfNot} ${RunningX64}
    ${OrIfNot} ${AtLeastWin10}
      MessageBox MB_OK|MB_ICONSTOP "$(WRONG_SYSTEM)" /SD IDOK
      SetErrorLevel 2
      Quit
    ${EndIf}
  !endif
  !insertmacro UseWholeComputer
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/AUTOSTART=" $1
  ${If} ${Errors}
    ; An update changes nothing of it.
    ReadRegStr $1 HKLM "${RUN_KEY}" "Packbench"
    ${If} $1 != ""
      !insertmacro SelectSection ${AutostartSection}
    ${EndIf}
  ${ElseIf} $1 == "hidden"
    !insertmacro SelectSection ${AutostartSection}
  ${ElseIf} $1 != "off"
    MessageBox MB_OK|MB_ICONSTOP "$(WRONG_SWITCH)" /SD IDOK
    SetErrorLevel ${EXIT_WRONG_SWITCH}
    Quit
  ${EndIf}
FunctionEnd

; The installer is an administrator's; the app must not be.
Function StartForUser
  Exec '"$WINDIR\explorer.exe" "$INSTDIR\Packbench.exe"'
FunctionEnd

; Windows shows an app's notifications only when its shortcut names it.
Function NameShortcut
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r0 ""
  ${If} $0 P= 0
    Return
  ${EndIf}
  ${IUnknown::QueryInterface} $0 '("${IID_IPersistFile}",.r1)'
  ${IPersistFile::Load} $1 '("${SHORTCUT}",2)'
  ${IUnknown::QueryInterface} $0 '("${IID_IPropertyStore}",.r2)'
  ${If} $2 P<> 0
    System::Call '*${SYSSTRUCT_PROPERTYKEY}(${PKEY_AppUserModel_ID})p.r3'
    System::Call '*(&w64 "${APP_ID}")p.r4'
    System::Call '*${SYSSTRUCT_PROPVARIANT}(${VT_LPWSTR},,r4)p.r5'
    ${IPropertyStore::SetValue} $2 '($3,$5)'
    ${IPropertyStore::Commit} $2 ""
    System::Free $3
    System::Free $4
    System::Free $5
    ${IUnknown::Release} $2 ""
    ${IPersistFile::Save} $1 '("${SHORTCUT}",1)'
  ${EndIf}
  ${IUnknown::Release} $1 ""
  ${IUnknown::Release} $0 ""
FunctionEnd

Section "un.$(APP_NAME)"
  SectionIn RO
  Call un.RefuseWhileRunning
  !insertmacro RemoveInstalledFiles
  ${If} $9 == "update"
    Return
  ${EndIf}
  Delete "$INSTDIR\Uninstall.exe"
  RMDir "$INSTDIR"
  Delete "${SHORTCUT}"
  DeleteRegValue HKLM "${RUN_KEY}" "Packbench"
  DeleteRegKey HKLM "${UNINSTALL_KEY}"
SectionEnd

; What was sent is proof of what was paid: it stays unless someone asks for its removal.
Section /o "un.$(DATA)" un.DataSection
  StrCpy $0 0
  ${Do}
    EnumRegKey $1 HKLM "${PROFILES_KEY}" $0
    ${If} $1 == ""
      ${Break}
    ${EndIf}
    IntOp $0 $0 + 1
    ReadRegStr $2 HKLM "${PROFILES_KEY}\$1" "ProfileImagePath"
    ExpandEnvStrings $2 "$2"
    ${If} $2 != ""
      ; The system's own command follows no link out of a folder, and removes a link itself.
      nsExec::Exec '"$SYSDIR\cmd.exe" /d /c rd /s /q "$2\AppData\Local\Packbench"'
      Pop $3
      nsExec::Exec '"$SYSDIR\cmd.exe" /d /c rd /s /q "$2\AppData\Roaming\Packbench"'
      Pop $3
      Delete "$2\AppData\Local\Packbench.data-folder"
    ${EndIf}
  ${Loop}
SectionEnd

Function un.onInit
  !insertmacro UseWholeComputer
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/UPDATE" $1
  ${IfNot} ${Errors}
    StrCpy $9 "update"
    Return
  ${EndIf}
  ClearErrors
  ${GetOptions} $0 "/PURGE" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${un.DataSection}
  ${EndIf}
FunctionEnd
