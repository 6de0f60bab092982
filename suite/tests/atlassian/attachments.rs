//! Files of issues.

use plainwire::model::{Content, ResourceContents};
use plainwire_site::Settings;
use serde_json::{Value, json};

use crate::support::{BOTH, World, call, keys, refused, tried, value, written};

const FILES: &str = "SELECT issue_id, filename, media_type, length(content), hex(substr(content, 1, 40)) FROM attachment ORDER BY id";

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test]
async fn a_file_is_attached_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for (arguments, kind) in [
            (json!({ "file_name": "naïve \"x\".txt", "text": "some text" }), "text/plain"),
            (
                json!({ "file_name": "dot.png", "content": format!("data:image/png;base64,{PNG}") }),
                "image/png",
            ),
            (
                json!({ "file_name": "any", "content": "AAEC", "media_type": "application/x-thing" }),
                "application/x-thing",
            ),
        ] {
            let mut arguments = arguments;
            arguments["issue_key"] = json!("SHOP-4");
            let (change, after) =
                written(&world, &client, "jira_upload_attachment", arguments.clone(), FILES).await;
            assert!(change["result"]["attachment_id"].is_string(), "{change}");
            let last = after.last().expect("a file");
            assert_eq!(last[2], kind, "{last:?}");
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn files_come_as_resources_and_pictures_as_images() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let key = keys(
            &world,
            "key LIKE 'SHOP-%' AND NOT EXISTS (SELECT 1 FROM attachment a WHERE a.issue_id = i.id)",
        )[0]
        .clone();
        for file in [
            json!({ "file_name": "a.txt", "text": "one\ntwo" }),
            json!({ "file_name": "b.png", "content": PNG }),
            json!({ "file_name": "c.bin", "content": "AP8A" }),
            json!({ "file_name": "d.png", "text": "no picture" }),
        ] {
            let mut file = file;
            file["issue_key"] = json!(key);
            call(&client, "jira_upload_attachment", file).await;
        }
        let result = tried(&client, "jira_download_attachments", json!({ "issue_key": key })).await;
        let view = value(&result);
        assert_eq!(view["files"].as_array().map(Vec::len), Some(4), "{view}");
        let resources: Vec<_> = result
            .content
            .iter()
            .filter_map(|it| match it {
                Content::Resource(it) => Some(&it.resource),
                _ => None,
            })
            .collect();
        let texts: Vec<_> = resources
            .iter()
            .filter_map(|it| match it {
                ResourceContents::Text(it) => Some(it.text.as_str()),
                ResourceContents::Blob(_) => None,
            })
            .collect();
        let blobs: Vec<_> = resources
            .iter()
            .filter_map(|it| match it {
                ResourceContents::Blob(it) => Some(it.blob.as_str()),
                ResourceContents::Text(_) => None,
            })
            .collect();
        assert_eq!(texts, ["one\ntwo", "no picture"]);
        assert_eq!(blobs, [PNG, "AP8A"]);
        let result = tried(&client, "jira_get_issue_images", json!({ "issue_key": key })).await;
        let view = value(&result);
        assert_eq!(view["files"][0]["name"], "b.png");
        assert_eq!(view["left_out"][0]["name"], "d.png");
        let images: Vec<_> = result
            .content
            .iter()
            .filter_map(|it| match it {
                Content::Image(it) => Some((it.mime_type.as_str(), it.data.as_str())),
                _ => None,
            })
            .collect();
        assert_eq!(images, [("image/png", PNG)]);
        let some =
            call(&client, "jira_download_attachments", json!({ "issue_key": key, "max_bytes": 8 })).await;
        assert_eq!(names(&some["files"]), ["a.txt"], "{some}");
        assert_eq!(names(&some["left_out"]), ["b.png", "c.bin", "d.png"], "{some}");
        let one =
            call(&client, "jira_download_attachments", json!({ "issue_key": key, "attachments": ["c.bin"] }))
                .await;
        assert_eq!(names(&one["files"]), ["c.bin"]);
        world.assert_contract();
    }
}

fn names(list: &Value) -> Vec<String> {
    list.as_array()
        .into_iter()
        .flatten()
        .map(|it| it["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn files_that_are_too_large_or_have_no_name_are_refused() {
    for deployment in BOTH {
        let world = World::with(Settings { deployment, faults: true, ..Settings::default() }).await;
        let client = world.client().await;
        world.fault(json!({ "path": "/attachments", "method": "POST", "kind": "too-large" })).await;
        let text = refused(
            &client,
            "jira_upload_attachment",
            json!({ "issue_key": "SHOP-1", "file_name": "a.txt", "text": "x" }),
        )
        .await;
        assert!(text.contains("too large for the site") && text.contains("up to 20971520 bytes"), "{text}");
        let large = "x".repeat((12 << 20) + 1);
        let text = refused(
            &client,
            "jira_upload_attachment",
            json!({ "issue_key": "SHOP-1", "file_name": "a.txt", "text": large }),
        )
        .await;
        assert!(text.contains("at most 12582912 bytes"), "{text}");
        for name in ["../a.txt", "a/b", "", "c:\\x", "a\nb"] {
            let text = refused(
                &client,
                "jira_upload_attachment",
                json!({ "issue_key": "SHOP-1", "file_name": name, "text": "x" }),
            )
            .await;
            assert!(text.contains("expected `file_name`"), "{text}");
        }
        for arguments in [json!({}), json!({ "text": "x", "content": "AA==" })] {
            let mut arguments = arguments;
            arguments["issue_key"] = json!("SHOP-1");
            arguments["file_name"] = json!("a");
            let text = refused(&client, "jira_upload_attachment", arguments).await;
            assert!(text.contains("`content` and `text`"), "{text}");
        }
        let text = refused(
            &client,
            "jira_upload_attachment",
            json!({ "issue_key": "SHOP-1", "file_name": "a", "content": "no base64!" }),
        )
        .await;
        assert!(text.contains("base64"), "{text}");
        let text = refused(
            &client,
            "jira_download_attachments",
            json!({ "issue_key": "SHOP-1", "attachments": ["none.txt"] }),
        )
        .await;
        assert!(text.contains("has no file"), "{text}");
        for tool in ["jira_download_attachments", "jira_get_issue_images"] {
            let text = refused(&client, tool, json!({ "issue_key": "SHOP-99999" })).await;
            assert!(text.contains("Issue does not exist"), "{tool}: {text}");
        }
        world.assert_contract();
    }
}
