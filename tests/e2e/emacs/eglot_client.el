;;; eglot_client.el --- Drives the server from a batch Emacs with eglot  -*- lexical-binding: t -*-

;;; Commentary:
;; Diagnostics, a code action, completion, hover, as a user of eglot has them.  The server is started by callwright-eglot.el
;; alone.  Environment and results are those of common.el.

;;; Code:

(load (expand-file-name "common.el" (file-name-directory load-file-name)))
(require 'callwright-eglot)
(require 'eglot)
(require 'flymake)

(setq eglot-sync-connect 60
      eglot-autoshutdown nil
      eglot-events-buffer-size 200000
      eglot-confirm-server-initiated-edits nil
      flymake-no-changes-timeout 0.1)

(defun connected ()
  "Do what `eglot-ensure' waits for, which a batch never reaches, and begin to check."
  (run-hooks 'post-command-hook)
  (flymake-mode 1)
  (flymake-start))

(add-hook 'find-file-hook #'connected t)

(defun run ()
  (find-file (expand-file-name "debug/agent.prompt" workspace))
  (saw "encoding" "utf-16")
  (saw "root" (directory-file-name (project-root (eglot--project (eglot-current-server)))))
  (let* ((found (until-true "diagnostics" #'flymake-diagnostics))
         (first (car found)))
    (saw-diagnostics
     (mapcar (lambda (each)
               (list (flymake-diagnostic-beg each)
                     (flymake-diagnostic-text each)
                     (eq (flymake-diagnostic-type each) 'eglot-error)))
             found))
    (saw "before" (string-trim-right (buffer-string) "\n"))
    (goto-char (flymake-diagnostic-beg first))
    (let* ((server (eglot-current-server))
           (actions (jsonrpc-request
                     server :textDocument/codeAction
                     (list :textDocument (eglot--TextDocumentIdentifier)
                           :range (list :start (eglot--pos-to-lsp-position (flymake-diagnostic-beg first))
                                        :end (eglot--pos-to-lsp-position (flymake-diagnostic-end first)))
                           :context (list :diagnostics [] :only ["quickfix"]))))
           (action (cl-find-if (lambda (each) (string-match-p "\\`Convert .*JSON" (plist-get each :title))) actions)))
      (unless action (error "No conversion is offered"))
      (unless (plist-get action :edit)
        (setq action (jsonrpc-request server :codeAction/resolve action)))
      (eglot--apply-workspace-edit (plist-get action :edit))))
  (saw "after" (string-trim-right (buffer-string) "\n"))
  (eglot--signal-textDocument/didChange)
  (until-true "a clean buffer" (lambda () (null (flymake-diagnostics))))
  (goto-char (point-max))
  (insert "\n🐞 <debug_set")
  (eglot--signal-textDocument/didChange)
  (let* ((answer (jsonrpc-request (eglot-current-server) :textDocument/completion (eglot--TextDocumentPositionParams)))
         (items (if (vectorp answer) answer (plist-get answer :items))))
    (saw "completion" (vconcat (mapcar (lambda (each) (plist-get each :label)) items)))
    (let ((item (cl-find "debug_set_breakpoint" items :key (lambda (each) (plist-get each :label)) :test #'string=)))
      (eglot--apply-text-edits (vector (plist-get item :textEdit)))))
  (goto-char (point-max))
  (saw "completed" (buffer-substring (line-beginning-position) (line-end-position)))
  (eglot--signal-textDocument/didChange)
  (goto-char (point-min))
  (search-forward "debug_launch")
  (backward-char 3)
  (let ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (saw "hover" (let ((contents (plist-get answer :contents)))
                   (if (stringp contents) contents (plist-get contents :value)))))
  (saw-prompts (lambda () (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))
  (ignore-errors (eglot-shutdown (eglot-current-server) nil 5)))

(finish #'run)

;;; eglot_client.el ends here
